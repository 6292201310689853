#pragma once

// All callbacks. Written by scripts/class_lists.py; do not edit.

#include <rhyton/models/callbacks/backup_and_restore.h>
#include <rhyton/models/callbacks/csv_logger.h>
#include <rhyton/models/callbacks/early_stopping.h>
#include <rhyton/models/callbacks/lambda_callback.h>
#include <rhyton/models/callbacks/learning_rate_scheduler.h>
#include <rhyton/models/callbacks/model_checkpoint.h>
#include <rhyton/models/callbacks/reduce_lr_on_plateau.h>
#include <rhyton/models/callbacks/swap_ema_weights.h>
#include <rhyton/models/callbacks/tensor_board.h>
#include <rhyton/models/callbacks/terminate_on_nan.h>
