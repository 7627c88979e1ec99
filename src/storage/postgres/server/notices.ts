import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { type QueueKey, queueName } from '../../../domain/queue/queue-key.ts'
import { type Database, prepared } from './database.ts'

const notify = prepared('select pg_notify($1, $2)')

/** Only hints: what they tell of is also looked for. */
type Notice = 'work' | 'hubs' | 'stores'

/** Between hubs of one schema, but for one's own. `lost`: some may have been. */
export function createNotices(db: Database, channel: string, heard: Record<Notice | 'lost', () => void>) {
  const self = randomUUID()
  const listener = db.listen(channel, (payload) => {
    if (payload === null) return heard.lost()
    const [notice, from] = payload.split(' ')
    if (from !== self) heard[notice as Notice]?.()
  })
  return {
    async tell(notice: Notice): Promise<void> {
      await db.query(notify, [channel, `${notice} ${self}`])
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}

/** Throttle: passes queues on at once, then at most every `every` ms; per-commit notices would only keep hubs busy. */
export function createAnnouncing(
  announce: (queueKeys: readonly QueueKey[]) => void,
  every: number,
): Disposable & ((queueKeys: readonly QueueKey[]) => void) {
  const gathered = new Map<string, QueueKey>()
  let timer: NodeJS.Timeout | null = null

  function pass() {
    timer = null
    if (gathered.size === 0) return
    const queueKeys = [...gathered.values()]
    gathered.clear()
    timer = setTimeout(pass, every)
    timer.unref()
    announce(queueKeys)
  }

  const tell = (queueKeys: readonly QueueKey[]) => {
    for (const queueKey of queueKeys) gathered.set(queueName(queueKey), queueKey)
    if (!timer) pass()
  }
  return Object.assign(tell, {
    [Symbol.dispose]() {
      if (timer) clearTimeout(timer)
      timer = null
      gathered.clear()
    },
  })
}

const RETRY_AFTER_MS = 1_000
const PROBE = 10_000

/** LISTEN on a connection of its own, renewed when broken. `heard(null)`: notices may be lost. */
export function createNotificationListener(
  connect: () => pg.Client,
  channel: string,
  heard: (payload: string | null) => void,
): AsyncDisposable {
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | null = null
  let closed = false

  async function open() {
    const mine = connect()
    const lost = () => {
      if (client !== mine) return
      client = null
      void mine.end().catch(() => undefined)
      heard(null)
      openLater()
    }
    client = mine
    mine.on('error', lost)
    mine.on('end', lost)
    mine.on('notification', ({ payload }) => heard(payload ?? null))
    try {
      await mine.connect()
      await mine.query(`listen ${channel}`)
      heard(null)
      probe(mine, lost)
    } catch {
      lost()
    }
  }

  function openLater() {
    if (!closed) later(RETRY_AFTER_MS, () => void open())
  }

  /** A broken line brings no news of it. */
  function probe(mine: pg.Client, lost: () => void) {
    if (client !== mine || closed) return
    later(PROBE, () => {
      mine.query('select 1').then(() => probe(mine, lost), lost)
    })
  }

  function later(ms: number, then: () => void) {
    if (timer) clearTimeout(timer)
    timer = setTimeout(then, ms)
    timer.unref()
  }

  void open()

  return {
    async [Symbol.asyncDispose]() {
      closed = true
      if (timer) clearTimeout(timer)
      const last = client
      client = null
      await last?.end().catch(() => undefined)
    },
  }
}
