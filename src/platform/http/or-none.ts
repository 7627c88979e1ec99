import { isNotThere } from '../../domain/values/errors.ts'

/** The thing that a read finds; a 404 is `none`: there is nothing of this name, or no such operation (`operations.isProven`). */
export async function orNone<T, N>(read: Promise<T>, none: N): Promise<T | N> {
  try {
    return await read
  } catch (error) {
    if (isNotThere(error)) return none
    throw error
  }
}
