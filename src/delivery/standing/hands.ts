/*
 * What the main thread has in hand, in memory that another thread reads while the main one stands still. Words of 32 bits;
 * an id takes two.
 */
const BEAT = 0
/** Changes whenever something is taken in hand or laid down. */
const TURN = 1
/** The delivery whose payload is being gone over; 0: none, or those of a whole call. */
const DELIVERY = 2
/** The call whose payloads are being gone over; 0: none. */
const CALL = 4
/** The delivery that is carried out alone, from its beginning to its end; 0: none. */
const ALONE = 6
/** Written by the watcher: the delivery that the loop stands still over, or stood; 0: none. */
const BLAMED = 8
/** For how long (milliseconds). */
const BLAMED_MS = 10
/** The places for deliveries under way, each with its id and the number of its call. */
const PLACES = 16
const PLACE = 3

/** More under way at once than this are not told apart: a batch has 5,000 at most. */
const MAX_UNDER_WAY = 32_768

/** The claims of one call, under way. */
export interface InHand {
  /** Runs a synchronous piece of work over the payload of one of them; null: over those of all. */
  over<T>(delivery: number | null, work: () => T): T
  /** The deliveries are not under way any more. */
  layDown(): void
}

/** Somebody may stand still over these. */
export interface Blame {
  certain: number | null
  suspects: number[]
}

/** The main thread's side: says what it has in hand. A few stores to memory each. */
export function createHands() {
  const memory = new SharedArrayBuffer(4 * (PLACES + PLACE * MAX_UNDER_WAY))
  const words = new Int32Array(memory)
  const free: number[] = []
  let used = 0
  let calls = 0
  let turn = 0
  let now = { delivery: 0, call: 0 }

  function set(next: typeof now) {
    now = next
    writeId(words, DELIVERY, next.delivery)
    Atomics.store(words, CALL, next.call)
    turn = (turn + 1) | 0
    Atomics.store(words, TURN, turn)
  }

  function place(delivery: number, call: number): number | null {
    const at = free.pop() ?? (used < MAX_UNDER_WAY ? used++ : null)
    if (at === null) return null
    writeId(words, PLACES + PLACE * at, delivery)
    Atomics.store(words, PLACES + PLACE * at + 2, call)
    return at
  }

  return {
    memory,
    /** The loop turns. */
    beat: () => void Atomics.add(words, BEAT, 1),

    take(deliveries: readonly number[]): InHand {
      calls = calls === 2 ** 31 - 1 ? 1 : calls + 1
      const call = calls
      const places = deliveries.map((delivery) => place(delivery, call))
      return {
        over(delivery, work) {
          const before = now
          set(delivery === null ? { delivery: 0, call } : { delivery, call: 0 })
          try {
            return work()
          } finally {
            set(before)
          }
        },
        layDown() {
          for (const at of places) {
            if (at === null) continue
            writeId(words, PLACES + PLACE * at, 0)
            free.push(at)
          }
        },
      }
    },

    /** The delivery that is carried out alone from now on; null: none is. */
    alone: (delivery: number | null) => writeId(words, ALONE, delivery ?? 0),

    /** The delivery that the watcher has named last, and for how long the loop stood still over it. */
    blamed(): { delivery: number; ms: number } | null {
      const delivery = readId(words, BLAMED)
      return delivery === 0 ? null : { delivery, ms: Atomics.load(words, BLAMED_MS) }
    },
    /** The blame is known to the main thread. */
    forgetBlamed: () => writeId(words, BLAMED, 0),
  }
}

/** The watcher's side. */
export function readHands(memory: SharedArrayBuffer) {
  const words = new Int32Array(memory)

  function underWay(only: number | null): number[] {
    const found: number[] = []
    for (let at = PLACES; at < words.length; at += PLACE) {
      const delivery = readId(words, at)
      if (delivery !== 0 && (only === null || Atomics.load(words, at + 2) === only)) found.push(delivery)
    }
    return found
  }

  return {
    /** Neither changes while the main thread stands still over one thing. */
    pulse: () => ({ beat: Atomics.load(words, BEAT), turn: Atomics.load(words, TURN) }),

    /** Deliveries that the main thread stands still over, as far as that can be told. */
    inHand(): Blame {
      const delivery = readId(words, DELIVERY)
      if (delivery !== 0) return { certain: delivery, suspects: [] }
      const call = Atomics.load(words, CALL)
      const alone = readId(words, ALONE)
      const suspects = underWay(call === 0 ? null : call)
      const isAlone = alone !== 0 && (call === 0 || suspects.includes(alone))
      const only = isAlone ? alone : call !== 0 && suspects.length === 1 ? (suspects[0] ?? null) : null
      return only === null ? { certain: null, suspects } : { certain: only, suspects: [] }
    },

    blame(delivery: number, ms: number): void {
      Atomics.store(words, BLAMED_MS, Math.round(ms))
      writeId(words, BLAMED, delivery)
    },
  }
}

function writeId(words: Int32Array, at: number, id: number): void {
  Atomics.store(words, at, id | 0)
  Atomics.store(words, at + 1, Math.floor(id / 2 ** 32))
}

function readId(words: Int32Array, at: number): number {
  return Atomics.load(words, at + 1) * 2 ** 32 + (Atomics.load(words, at) >>> 0)
}
