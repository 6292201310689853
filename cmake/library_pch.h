// Precompiled once for the library: headers of the standard library that most of its sources include. A source still
// includes the headers it uses. Not compiled by itself, not installed. Headers of the library are left out: where only
// their comments change, a compiler cache can return a precompiled header in which `#pragma once` names the old ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
