import { fork } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'

type Reply = { value: object } | { error: string }

/** A process of its own, so that load, sink and server do not share an event loop. */
export interface Worker<Question extends object, Answer extends object> extends AsyncDisposable {
  /** One question at a time. */
  ask(question: Question): Promise<Answer>
}

export function startWorker<Question extends object, Answer extends object>(file: URL): Worker<Question, Answer> {
  const child = fork(file, { serialization: 'advanced' })
  const exited = once(child, 'exit')
  const gone = exited.then(([code, signal]) => {
    throw new Error(`${basename(file.pathname)} ended (${signal ?? code}) without an answer.`)
  })
  gone.catch(() => undefined)
  return {
    async ask(question) {
      child.send(question)
      const [reply] = (await Promise.race([once(child, 'message'), gone])) as [Reply]
      if ('error' in reply) throw new Error(`${basename(file.pathname)}: ${reply.error}`)
      return reply.value as Answer
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** The other end: answers each question of the parent, and ends with it. */
export function answerParent<Question extends object, Answer extends object>(
  answer: (question: Question) => Promise<Answer>,
): void {
  process.on('disconnect', () => process.exit())
  process.on('message', async (question) => {
    const reply: Reply = await answer(question as Question).then(
      (value) => ({ value }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
    )
    process.send?.(reply, undefined, undefined, () => undefined)
  })
}
