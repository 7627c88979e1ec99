import { appendFileSync, readFileSync } from 'node:fs'
import { TestRunner, vi } from 'vitest'
import { createJudging } from './judging.ts'
import { createMeeting } from './meeting.ts'
import type { Next, Session, Task } from './session.ts'
import type { Switch } from './switch.ts'
import type { Line, Work } from './work.ts'

type Test = Parameters<TestRunner['onBeforeRunTask']>[0]
type Files = Parameters<TestRunner['onAfterRunFiles']>[0]

/**
 * Runs in vitest's own process for tests, in place of its own runner. vitest goes through a list of files; what comes next is appended to
 * it while it does, so that one process judges many mutants. Every file is run with modules of its own: what runs while they are
 * loaded runs again, under the mutant.
 */
export default class MutationRunner extends TestRunner {
  readonly #session: Session
  readonly #files: Next[]

  constructor(config: ConstructorParameters<typeof TestRunner>[0]) {
    super(config)
    // vitest itself is told nothing: it would keep every result.
    for (const name of ['onTaskUpdate', 'onCollected'])
      Object.defineProperty(this, name, { get: () => undefined, set() {} })
    this.#session = createSession()
    this.#files = (this as unknown as { workerState: { ctx: { files: Next[] } } }).workerState.ctx.files
    this.#files.splice(0)
    this.#goOn()
  }

  override async importFile(...given: Parameters<TestRunner['importFile']>) {
    vi.resetModules()
    const loaded = await super.importFile(...given)
    this.#session.loaded()
    return loaded
  }

  override async onBeforeRunTask(test: Test) {
    if (!this.#session.wants(test as Task)) test.mode = 'skip'
    await super.onBeforeRunTask(test)
  }

  override onBeforeTryTask(...given: Parameters<TestRunner['onBeforeTryTask']>) {
    this.#session.testBegins()
    super.onBeforeTryTask(...given)
  }

  override onAfterRunTask(test: Test) {
    this.#session.testEnded(test as Task)
    super.onAfterRunTask(test)
  }

  override onAfterRunFiles(files: Files) {
    super.onAfterRunFiles(files)
    for (const file of files ?? []) this.#session.fileEnded(file as unknown as Task)
    this.#goOn()
  }

  #goOn() {
    const next = this.#session.next()
    if (next) this.#files.push(next)
    else write({ type: 'ended' })
  }
}

const work = JSON.parse(readFileSync(process.env.MUTATION_WORK ?? '', 'utf8')) as Work

function createSession(): Session {
  const { $mutation } = globalThis as unknown as { $mutation: Switch }
  if (work.type === 'meet') return createMeeting($mutation, work.files, write)
  return createJudging($mutation, work.questions, work.patience, write)
}

function write(line: Line) {
  appendFileSync(work.lines, `${JSON.stringify(line)}\n`)
}
