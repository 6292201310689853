#pragma once

#include <rhyton/framework/by_name.h>
