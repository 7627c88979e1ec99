import type { Instant } from '../../src/domain/values/instant.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Arrivals } from './arrivals.ts'

/** What one store gives the suite that all stores pass. */
export interface StoreContract {
  name: string
  /** A store of its own for each test, empty. */
  open(options: OpenOptions): Promise<StoreUnderTest>
  /** Its tests wait for a server, and are told five at a time. Where they wait for nothing, more of them at once only need more threads. */
  waits: boolean
  /** Tests that this store cannot pass, with the reason why that is right. */
  skip?: { reason: string; tests: string[] }[]
}

export interface OpenOptions {
  /** How much of a queue may be kept in memory, where the store keeps any. */
  window?: { items: number; bytes: number }
  /** How long the same bytes are a copy where nothing else tells (milliseconds); a day if not given. */
  sameBytesWindow?: number
}

/** A storage, what may arrive at it, and its time. */
export interface StoreUnderTest extends AsyncDisposable, Arrivals {
  storage: Storage
  clock: TestClock
  /** The hub ends without settling its claims, as if killed, and the next one opens the same store. */
  reopen(): Promise<Storage>
}

/** The store's time; it stands still but for `pass`. */
interface TestClock {
  now(): Instant
  pass(ms: number): void | Promise<void>
}

/** Tells one story with a store of its own. */
export type StoreTest = (name: string, story: (the: StoreUnderTest) => Promise<void>, options?: OpenOptions) => void

/** The same, with storages that are opened so. */
export function openedWith(options: OpenOptions, test: StoreTest): StoreTest {
  return (name, story) => test(name, story, options)
}
