import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import helmet from 'helmet'
import { answerParent } from './worker.ts'

export interface Baseline {
  port: number
}

/** What any Express service pays before it does anything: helmet and the raw body, answered 204, nothing stored. */
answerParent<object, Baseline>(async () => {
  const app = express()
  app.use(helmet())
  app.use(express.raw({ type: () => true, limit: '64mb' }))
  app.post('/webhooks/:kind/:subscription', (_request, response) => {
    response.status(204).end()
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port }
})
