import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Whether nothing keeps what this refers to any more, after all garbage was collected. */
export async function isErased(ref: WeakRef<object>): Promise<boolean> {
  // What was looked at in this turn is kept until the next.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  return ref.deref() === undefined
}
