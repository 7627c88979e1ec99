import { StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import { createPostgresReading, createSnapshots } from '../../../src/storage/postgres/reading.ts'
import { readAddress } from '../../../src/storage/postgres/server/address.ts'
import type { Database, Session } from '../../../src/storage/postgres/server/database.ts'
import { createConnections, createPool } from '../../../src/storage/postgres/server/pool.ts'
import { createPostgresStorage } from '../../../src/storage/postgres/storage.ts'
import type { Hubs } from './open-hubs.ts'

/** What is held until it is let go: what is asked of the server, or what it answers. */
interface Held {
  isHeld: Promise<void>
  isHeldTwice: Promise<void>
  letGo(): void
}

/** Another hub, what it says to the server and what it hears is held back, or lost, by parts of its statements; `begin`: of transactions. */
export async function openSlowHub({ options }: Pick<Hubs, 'options'>) {
  const address = readAddress(options.url)
  const pool = createConnections(address, 4)
  const questions = createGates()
  const answers = createGates()
  const seen: { part: string; then: (answer: unknown[]) => void }[] = []
  let lost: string | null = null

  const through = (session: Session): Session => ({
    async query(statement, values) {
      await questions.pass(statement.text)
      const answer = await session.query(statement, values)
      await answers.pass(statement.text)
      for (const { part, then } of seen) if (statement.text.includes(part)) then(answer)
      return answer
    },
  })
  /** Of a transaction that has said so, the answer to the commit is lost. */
  async function losing<T>(work: (heard: (text: string) => void) => Promise<T>): Promise<T> {
    let isLost = false
    const result = await work((text) => {
      if (lost === null || !text.includes(lost)) return
      lost = null
      isLost = true
    })
    if (isLost) throw new StorageUnavailableError('The answer was lost.')
    return result
  }
  const real = createPool(pool, address)
  const db: Database = {
    ...real,
    query: (statement, values) =>
      losing(async (heard) => {
        heard(statement.text)
        return await through(real).query(statement, values)
      }),
    transaction: (work) =>
      losing(async (heard) => {
        await questions.pass('begin')
        return await real.transaction((session) => {
          const { query } = through(session)
          return work({
            query(statement, values) {
              heard(statement.text)
              return query(statement, values)
            },
          })
        })
      }),
  }
  const { lease, lookEvery, sameBytesWindow } = options
  const reading = createPostgresReading(createSnapshots(pool, address))
  const migrate = async () => {}
  const storage = await createPostgresStorage({
    ...{ db, reading, migrate, channel: `tillbridge_${address.schema}`, sameBytesWindow, lease, lookEvery },
  })
  return {
    storage,
    holdQuestion: questions.hold,
    holdAnswer: answers.hold,
    loseAnswer(part: string) {
      lost = part
    },
    seeAnswers(part: string, then: (answer: unknown[]) => void) {
      seen.push({ part, then })
    },
    async [Symbol.asyncDispose]() {
      questions.open()
      answers.open()
      await storage[Symbol.asyncDispose]()
    },
  }
}

function createGates() {
  const gates = new Set<{ part: string; went: Promise<void>; letGo(): void; came(): void }>()
  return {
    hold(part: string): Held {
      const [once, twice, went] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as [Way, Way, Way]
      let times = 0
      const gate = {
        part,
        went: went.promise,
        letGo() {
          gates.delete(gate)
          went.resolve()
        },
        came() {
          times += 1
          once.resolve()
          if (times === 2) twice.resolve()
        },
      }
      gates.add(gate)
      return { isHeld: once.promise, isHeldTwice: twice.promise, letGo: gate.letGo }
    },
    async pass(text: string): Promise<void> {
      for (const gate of gates)
        if (text.includes(gate.part)) {
          gate.came()
          await gate.went
        }
    },
    open() {
      for (const gate of gates) gate.letGo()
    },
  }
}

type Way = PromiseWithResolvers<void>
