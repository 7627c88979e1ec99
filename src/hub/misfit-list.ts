import { type Misfit, MisfitError, misfitsOf } from '../domain/queue/misfit.ts'
import { UserError } from '../domain/values/errors.ts'

/** Gathers what does not fit while a hub is put together, so that all of it is said at once. */
export function createMisfitList() {
  const list: Misfit[] = []

  function add(misfits: readonly Misfit[]): void {
    list.push(...misfits)
  }

  return {
    add,

    /** Makes a part; null where it cannot be made, which is in the list then. `path`: what of config it is made of. */
    tried<Part>(path: Misfit['path'], make: () => Part): Part | null {
      try {
        return make()
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        add(misfitsOf(error, path))
        return null
      }
    },

    /** Throws a MisfitError where there is anything. */
    throwIfAny(): void {
      if (list.length > 0) throw new MisfitError(list)
    },
  }
}

export type MisfitList = ReturnType<typeof createMisfitList>
