import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { vi } from 'vitest'

/** Each name leads to this machine, as the name service of a network of containers has it. */
export function everyNameIsPrivate(): Disposable {
  const lookup = (_: string, __: object, done: (error: null, found: object[]) => void) =>
    done(null, [{ address: '127.0.0.1', family: 4 }])
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(lookup as never)
  syncBuiltinESMExports()
  return {
    [Symbol.dispose]() {
      spy.mockRestore()
      syncBuiltinESMExports()
    },
  }
}
