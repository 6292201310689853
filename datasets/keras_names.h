#pragma once

#include <rhyton/datasets/audio_dataset.h>
#include <rhyton/datasets/categorical.h>
#include <rhyton/datasets/get_file.h>
#include <rhyton/datasets/image.h>
#include <rhyton/datasets/image_dataset.h>
#include <rhyton/datasets/sequences.h>
#include <rhyton/datasets/split_dataset.h>
#include <rhyton/datasets/text_dataset.h>
#include <rhyton/datasets/timeseries.h>
#include <rhyton/framework/context.h>

/// Functions for data and random numbers under the names that they have in Keras, `keras.utils`.
namespace rhyton::utils {

using datasets::array_to_img;
using datasets::audio_dataset_from_directory;
using datasets::get_file;
using datasets::image_dataset_from_directory;
using datasets::img_to_array;
using datasets::load_img;
using datasets::pad_sequences;
using datasets::save_img;
using datasets::split_dataset;
using datasets::text_dataset_from_directory;
using datasets::timeseries_dataset_from_array;
using datasets::to_categorical;
using rhyton::clear_session;
using rhyton::set_random_seed;

}  // namespace rhyton::utils
