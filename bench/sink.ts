import { type Arrivals, openReceiver, type Receiver } from './wire/receiver.ts'
import { answerParent } from './worker.ts'

/** One receiver for each entry of `open`; `hang` are those that never answer. */
export type SinkQuestion = { ask: 'open'; hang: boolean[] } | { ask: 'counts' } | { ask: 'arrivals' }

export interface SinkAnswer {
  ports: number[]
  received: number[]
  unique: number[]
  /** When the last new event came; 0 before the first. */
  lastAt: number[]
  /** Filled when asked for. */
  arrivals: Arrivals[]
}

const receivers: Receiver[] = []

answerParent<SinkQuestion, SinkAnswer>(async (question) => {
  if (question.ask === 'open') {
    for (const hang of question.hang) receivers.push(await openReceiver({ hang }))
  }
  return {
    ports: receivers.map(({ port }) => port),
    received: receivers.map((receiver) => receiver.received()),
    unique: receivers.map((receiver) => receiver.unique()),
    lastAt: receivers.map(({ arrivals }) => arrivals.at.at(-1) ?? 0),
    arrivals: question.ask === 'arrivals' ? receivers.map(({ arrivals }) => arrivals) : [],
  }
})
