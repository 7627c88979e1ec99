/* A machine whose clock its parent puts forward: `AHEAD` milliseconds at its start, and by so many with each message. */

import { isMainThread } from 'node:worker_threads'

let ahead = Number(process.env.AHEAD)
const RightDate = Date
const now = RightDate.now

globalThis.Date = class extends RightDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now() + ahead] : given))
  }
  static now() {
    return now() + ahead
  }
}

if (isMainThread)
  process.on('message', (ms) => {
    ahead += ms
  })
