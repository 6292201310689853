// Pipelines whose elements are dictionaries.

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/datasets/pipeline_sources.h>
#include <rhyton/datasets/windows.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::datasets {
namespace {

using test::message_of;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

/// Elements {"age": 0 … 5, "weight": 10 … 15}, with labels 20 … 25.
Pipeline people() {
  const Tensor numbers = arange(0, 6, 1, DType::float32);
  return from_tensor_slices({{"weight", numbers + 10}, {"age", numbers}}, numbers + 20);
}

void expect_people(const Dataset& dataset, std::size_t count) {
  EXPECT_EQ(dataset.element_spec().x_names.list(), (Names{"age", "weight"}));
  std::size_t elements = 0;
  for (const Batch& element : dataset) {
    EXPECT_EQ(element["weight"].to_vector(), (element["age"] + 10).to_vector());
    ++elements;
  }
  EXPECT_EQ(elements, count);
}

TEST(Dictionaries, HaveTheirTensorsByKey) {
  const Batch first = *people().begin();
  EXPECT_EQ(first.x_names.list(), (Names{"age", "weight"}));
  EXPECT_EQ(first.x[0].item(), 0);
  EXPECT_EQ(first.x[1].item(), 10);
  EXPECT_EQ(first["weight"].item(), 10);
  EXPECT_EQ(first.y[0].item(), 20);
  EXPECT_EQ(message_of<ValueError>([&] { static_cast<void>(first["height"]); }),
            "An element has no tensor 'height'. The names of its x are ['age', 'weight'], those of its y [].");
  const Tensor x = arange(2);
  const Pipeline targets = from_tensor_slices(Batch{.x = {x}, .y = {x + 1, x + 2}, .y_names = {"b", "a"}});
  EXPECT_EQ((*targets.begin())["a"].item(), 2);
  EXPECT_EQ((*from_tensor_slices(std::map<std::string, Tensor>{{"only", x}}).begin())["only"].item(), 0);
}

TEST(Dictionaries, PassThroughTheStepsOfPipelines) {
  const test::TemporaryFolder folder;
  expect_people(people().batch(4), 2);
  expect_people(people().shuffle(3).repeat(2).take(7).skip(1).shard(2, 0), 3);
  expect_people(people().padded_batch(4), 2);
  expect_people(people().batch(4).unbatch(), 6);
  expect_people(people().prefetch(2).cache(), 6);
  expect_people(people().concatenate(people()), 12);
  expect_people(people().filter([](const Batch& person) { return person["age"] > 3; }), 2);
  expect_people(people().flat_map([](const Batch& person) { return from_tensors(person); }), 6);
  const auto generator = [source = people()] {
    return [elements = std::shared_ptr<BatchIterator>(source.iterator(0))] { return elements->next(); };
  };
  expect_people(from_generator(generator, people().element_spec()), 6);
  expect_people(zip(people().map([](const Batch& person) { return Batch{.x = person.x, .x_names = person.x_names}; }),
                    from_tensor_slices(arange(6))),
                6);
  const Pipeline cached = people().cache(folder.path() / "people");
  expect_people(cached, 6);
  expect_people(cached, 6);
}

TEST(Dictionaries, AreWhatFunctionsOfMapReturn) {
  const auto older = [](const Batch& person) {
    return std::pair(std::map<std::string, Tensor>{{"weight", person["weight"] + 1}, {"age", person["age"] + 1}},
                     person.y[0]);
  };
  expect_people(people().map(older), 6);
  expect_people(people().map(older, {.num_parallel_calls = 2}).batch(2), 3);
  expect_people(people().map([](const Batch& person) { return person; }), 6);
  const Pipeline named = from_tensor_slices(arange(3)).map([](const Tensor& x) {
    return std::map<std::string, Tensor>{{"age", x}, {"weight", x + 10}};
  });
  expect_people(named, 3);
  EXPECT_TRUE(people().map([](const Batch& person) { return person["age"]; }).element_spec().x_names.is_empty());
}

TEST(Dictionaries, RefuseNamesThatDoNotFit) {
  const Tensor x = arange(2);
  EXPECT_EQ(message_of<ValueError>([&] {
              from_tensor_slices(Batch{.x = {x, x}, .x_names = {"a"}});
            }),
            "An element with 2 tensors in `x` needs as many different names. Received: ['a']");
  EXPECT_THROW(from_tensor_slices(Batch{.x = {x, x}, .x_names = {"a", "a"}}), ValueError);
  EXPECT_EQ(message_of<TypeError>([&] {
              people().concatenate(from_tensor_slices({{"age", x + 0.5}, {"size", x + 0.5}}, x + 0.5));
            }),
            "Incompatible dataset elements: their tensors have the names ['age', 'weight'] and ['age', 'size'].");
}

}  // namespace
}  // namespace rhyton::datasets
