import express, { Router } from 'express'
import { AskedBurst, AskedMovement } from '../actions/asked.ts'
import type { Pos } from '../sales/pos.ts'
import { act } from './act.ts'

/** The doings of a POS besides the actions: `POST /sandbox/…`, with a small JSON body or a form, or none. */
export function createPosApi(pos: Pos, burst: (count: number) => void): Router {
  const router = Router()
  router.use('/sandbox', express.json(), express.urlencoded())
  router.post(
    '/sandbox/move-stock',
    act(AskedMovement, (asked) => {
      pos.moveStock(asked)
      return { moved: true }
    }),
  )
  router.post(
    '/sandbox/burst',
    act(AskedBurst, ({ count }) => {
      burst(count)
      return { sales: count }
    }),
  )
  return router
}
