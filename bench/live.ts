import { createHubClient } from './hub-client.ts'
import { sendLive } from './wire/live.ts'
import { answerParent } from './worker.ts'

/** Where live webhooks go from now on; or that they are to end. */
export type LiveQuestion = { port: number; webhookToken: string; kind: string } | { end: true }

/** How long each took (milliseconds); none before the end. */
export interface LiveAnswer {
  latencies: number[]
}

let live: ReturnType<typeof sendLive> | null = null

answerParent<LiveQuestion, LiveAnswer>(async (question) => {
  if ('end' in question) return { latencies: (await live?.end()) ?? [] }
  live = sendLive(createHubClient(question.port, '', question.webhookToken), question.kind)
  return { latencies: [] }
})
