// graph/fiber.hpp: a thread of execution that gives way to others where it would have to run what
// is pending. Who goes on when is the embedding program's; where a fiber gives way is exec/run's.
#pragma once

#include "graph/generator.hpp"
#include "graph/mode.hpp"
#include "graph/source.hpp"

namespace wend {

struct Fiber {
  virtual ~Fiber() = default;
  // Lets the others go on. True: what was pending has been run since; false: it could not wait.
  virtual bool wait() = 0;
  // How many fibers, this one counted, may have work that could run together.
  virtual size_t company() const = 0;

  Generator generator;
  DType default_dtype = DType::float32;
  Source begun_at;  // the line of what it records without a line of its own
};

// Set by the walk back: whether the last one was that of one fiber, which gains nothing by batches
// whose members belong to several.
inline constinit bool fibers_walk_back = false;

// The generator behind ops that name none.
inline Generator& current_generator() {
  return mode.fiber ? mode.fiber->generator : default_generator;
}

}  // namespace wend
