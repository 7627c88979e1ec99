import type { Request } from 'express'
import { UserError } from '../domain/values/errors.ts'
import { formatInstant } from '../domain/values/instant.ts'
import type { Store } from '../store/store.ts'
import type { Acts } from './acts.ts'

interface Options {
  store: Pick<Store, 'acts'>
  acts: Pick<Acts, 'note'>
}

/** Acts that are looked back at, the newest. */
const LOOKED = 500

/** Finds an act that was stopped before its end, for acts that do all of it once more where they are asked for twice. */
export function createStoppedActs({ store, acts }: Options) {
  return {
    /** Throws a UserError where the last act of the same kind, asked for in the same words, has not come to its end. */
    async refuseIfStopped(action: string, selection: object): Promise<void> {
      const asked = JSON.stringify(selection)
      const begun = await store.acts({ action, limit: LOOKED })
      const last = begun.find((each) => each.refused === null && each.selection === asked)
      if (last === undefined) return
      const ended = await store.acts({ action: endOf(action), since: last.at, limit: LOOKED })
      if (ended.some((each) => each.selection === selectionOf(last.id))) return
      throw new UserError(
        `Act ${last.id} of ${last.by} (${formatInstant(last.at)}) was of the same, and the audit does not say that it has come to its end: it was stopped, or is still under way. --go-on ${last.id} does what is left of it, where it is yours and not still under way; --anew does all of it once more.`,
      )
    },

    /** Writes down that an act has come to its end. */
    async noteEnd(request: Request, action: string, act: number): Promise<void> {
      await acts.note(request, { action: endOf(action), selection: { act } })
    },
  }
}

export type StoppedActs = ReturnType<typeof createStoppedActs>

function endOf(action: string): string {
  return `${action}-ended`
}

function selectionOf(act: number): string {
  return JSON.stringify({ act })
}
