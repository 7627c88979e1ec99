import { type Files, FilesError, type Transport } from '../../../src/folders/transport.ts'

/**
 * How it ends at a step: `before` it was executed, `after` it was, but nobody heard so; `half` of a file that is made
 * was written; it `hangs` until the signal is aborted.
 */
export type End = 'before' | 'after' | 'half' | 'hangs'
export const ENDS: readonly End[] = ['before', 'after', 'half', 'hangs']

export interface Crash {
  transport: Transport
  /** The steps that were begun, each as `create .tillbridge/work/…`. */
  steps: string[]
}

/** A transport that ends at its nth step: nothing of what is asked of it from then on reaches the folder. */
export function crashing(
  inner: Transport,
  at: number | ((step: string) => boolean),
  end: End,
  stop: () => void = () => {},
): Crash {
  const steps: string[] = []
  let ended = false
  const isEnd = (step: string) => (typeof at === 'number' ? steps.length === at : at(step))

  function dies(files: Files): Files {
    function step<Arguments extends unknown[], Result>(
      name: keyof Files,
      run: (...given: Arguments) => Promise<Result>,
    ) {
      return async (...given: Arguments): Promise<Result> => {
        const paths = given.filter((one) => typeof one === 'string')
        const shown = `${name} ${paths.join(' ')}`.replace(/[0-9a-f-]{36}/, '<id>')
        steps.push(shown)
        if (ended) throw new FilesError('lost', 'cut the connection.')
        if (!isEnd(shown)) return await run(...given)
        ended = true
        if (end === 'after') await run(...given)
        if (end === 'half' && name === 'create') {
          const [path, content] = given as unknown as [string, Parameters<Files['create']>[1]]
          await files.create(path, await halfOf(content))
        }
        if (end === 'hangs') {
          stop()
          await new Promise(() => {})
        }
        throw new FilesError('lost', 'cut the connection.')
      }
    }
    return {
      list: step('list', (path) => files.list(path)),
      stat: step('stat', (path) => files.stat(path)),
      read(path, from) {
        if (ended) throw new FilesError('lost', 'cut the connection.')
        return files.read(path, from)
      },
      create: step('create', (path, content) => files.create(path, content)),
      rename: step('rename', (from, to) => files.rename(from, to)),
      remove: step('remove', (path) => files.remove(path)),
      makeFolder: step('makeFolder', (path) => files.makeFolder(path)),
      removeFolder: step('removeFolder', (path) => files.removeFolder(path)),
      sync: step('sync', (path) => files.sync(path)),
      freeSpace: step('freeSpace', (path) => files.freeSpace(path)),
    }
  }

  const transport: Transport = {
    where: inner.where,
    use: (signal, work) => inner.use(signal, (files) => work(dies(files))),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  }
  return { transport, steps }
}

/** A transport that lets somebody else do something before its nth step. */
export function between(inner: Transport, at: number, work: () => Promise<void>): Crash {
  const steps: string[] = []
  const step = async (name: string, path: string) => {
    steps.push(`${name} ${path}`)
    if (steps.length === at) await work()
  }
  const watched = (files: Files): Files => ({
    list: (path) => step('list', path).then(() => files.list(path)),
    stat: (path) => step('stat', path).then(() => files.stat(path)),
    async *read(path, from) {
      await step('read', path)
      yield* files.read(path, from)
    },
    create: (path, content) => step('create', path).then(() => files.create(path, content)),
    rename: (from, to) => step('rename', `${from} ${to}`).then(() => files.rename(from, to)),
    remove: (path) => step('remove', path).then(() => files.remove(path)),
    makeFolder: (path) => step('makeFolder', path).then(() => files.makeFolder(path)),
    removeFolder: (path) => step('removeFolder', path).then(() => files.removeFolder(path)),
    sync: (path) => step('sync', path).then(() => files.sync(path)),
    freeSpace: (path) => step('freeSpace', path).then(() => files.freeSpace(path)),
  })
  const transport: Transport = {
    where: inner.where,
    use: (signal, work) => inner.use(signal, (files) => work(watched(files))),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  }
  return { transport, steps }
}

async function halfOf(content: Parameters<Files['create']>[1]): Promise<Uint8Array> {
  const whole = content instanceof Uint8Array ? content : Buffer.concat(await Array.fromAsync(content))
  return whole.subarray(0, whole.length / 2)
}

/** `npm test` tries every fifth step; every one is tried by every-step.soak.ts, which sets this. */
const EVERY_STEP = process.env.TILLBRIDGE_EVERY_STEP === 'true'

export function isItsTurn(step: number): boolean {
  return EVERY_STEP || step % 5 === 0
}
