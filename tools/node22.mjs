// What the code asks for and Node 22 lacks: the build puts it in (tools/build.mjs). Where Node has its own, that is used.

/** AsyncDisposableStack of ECMAScript 2026. */
class Stack {
  #disposals = []
  disposed = false

  use(value) {
    if (value) this.defer((value[Symbol.asyncDispose] ?? value[Symbol.dispose]).bind(value))
    return value
  }

  adopt(value, dispose) {
    this.defer(() => dispose(value))
    return value
  }

  defer(dispose) {
    if (this.disposed) throw new ReferenceError('The stack is disposed.')
    this.#disposals.push(dispose)
  }

  move() {
    const moved = new Stack()
    moved.#disposals = this.#disposals.splice(0)
    this.disposed = true
    return moved
  }

  async disposeAsync() {
    this.disposed = true
    let failure = null
    for (const dispose of this.#disposals.splice(0).reverse()) {
      try {
        await dispose()
      } catch (error) {
        failure = { error: failure ? suppressing(error, failure.error) : error }
      }
    }
    if (failure) throw failure.error
  }

  [Symbol.asyncDispose]() {
    return this.disposeAsync()
  }
}

function suppressing(error, suppressed) {
  const both = new Error('An error was suppressed during disposal.')
  return Object.assign(both, { name: 'SuppressedError', error, suppressed })
}

export const { AsyncDisposableStack = Stack } = globalThis

export const { escape: escapeRegExp = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') } = RegExp
