import type pg from 'pg'

/** Milliseconds until it reconnects. */
const AGAIN = 1_000
/** Quiet time until a probe (ms). */
const PROBE = 10_000

/** LISTEN on a connection of its own, renewed when broken. `heard(null)`: notices may be lost. */
export function createListener(
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
    if (!closed) later(AGAIN, () => void open())
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

const EVERY = 5_000

/** Behind a pooler there is no LISTEN: notices count as lost every while. */
export function lookInstead(heard: (payload: null) => void): AsyncDisposable {
  const timer = setInterval(() => heard(null), EVERY)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
    },
  }
}
