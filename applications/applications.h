#pragma once

// The models of keras.applications.

#include <rhyton/applications/application_options.h>
#include <rhyton/applications/convnext.h>
#include <rhyton/applications/densenet.h>
#include <rhyton/applications/efficientnet.h>
#include <rhyton/applications/efficientnet_v2.h>
#include <rhyton/applications/imagenet.h>
#include <rhyton/applications/inception_resnet_v2.h>
#include <rhyton/applications/inception_v3.h>
#include <rhyton/applications/mobilenet.h>
#include <rhyton/applications/mobilenet_v2.h>
#include <rhyton/applications/mobilenet_v3.h>
#include <rhyton/applications/nasnet.h>
#include <rhyton/applications/resnet.h>
#include <rhyton/applications/resnet_v2.h>
#include <rhyton/applications/vgg16.h>
#include <rhyton/applications/vgg19.h>
#include <rhyton/applications/weights.h>
#include <rhyton/applications/xception.h>
