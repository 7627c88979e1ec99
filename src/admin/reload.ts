import { Router } from 'express'
import type { Problem } from '../config/reading/yaml-file.ts'
import type { Acts } from './acts.ts'
import { operatorOf } from './asking.ts'
import { parse, Told } from './filters.ts'

/** The config that a reload took in. */
export interface Reloaded {
  /** The config file. */
  file: string
  /** The keys of config that are others now; none: the file says what it said before. */
  changed: string[]
  /** Values of it that are most likely wrong, although a hub can work by it. */
  doubts: Problem[]
}

/** Takes the config file in again, all of it or nothing. Rejects with a UserError that says what is wrong with it. */
export type Reload = (by: string) => Promise<Reloaded>

/** `POST /admin/reload`. */
export function createReloadAdmin(reload: Reload, acts: Acts): Router {
  const router = Router()
  router.post('/', acts.of('reload'), async (request, response) => {
    const { reason } = parse(Told, request.body ?? {})
    const reloaded = await reload(operatorOf(request))
    const { file, changed } = reloaded
    await acts.note(request, { action: 'reload', selection: { file, keys: changed }, reason, changed: changed.length })
    response.json(reloaded)
  })
  return router
}
