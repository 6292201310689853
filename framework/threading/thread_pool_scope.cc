#include <rhyton/framework/threading/thread_pool_scope.h>

namespace rhyton::threading {
namespace {

thread_local ThreadPool* scoped_pool = nullptr;

}  // namespace

ThreadPoolScope::ThreadPoolScope(ThreadPool& pool) : outer_(scoped_pool) { scoped_pool = &pool; }
ThreadPoolScope::~ThreadPoolScope() { scoped_pool = outer_; }
ThreadPool* ThreadPoolScope::current() { return scoped_pool; }

}  // namespace rhyton::threading
