import { Command } from 'commander'
import { request } from 'undici'
import { EXIT } from '../shared/exit-codes.ts'
import { hubUrl, strangerError, wordsOf } from '../shared/hub-url.ts'
import { show } from '../shared/print.ts'

/** A container's health check has no more patience (milliseconds). */
const PATIENCE = 4_000

export const health = new Command('health')
  .description('Ask whether the hub can take webhooks, as its own config says where it listens: exit code 0 or 1')
  .option('--json', 'print JSON')
  .action(async ({ json }) => {
    const url = await hubUrl(process.env)
    const why = await whyNot(url)
    show(json, { url, ready: why === null, why }, () =>
      why === null ? `${url} is ready.` : `${url} is not ready: ${why}`,
    )
    if (why !== null) process.exitCode = EXIT.problem
  })

/** Null: it is ready, in the hub's own words: any other server may listen there, and answer 200 too. */
async function whyNot(url: string): Promise<string | null> {
  try {
    const { statusCode, body } = await request(`${url}/health/ready`, { signal: AbortSignal.timeout(PATIENCE) })
    const { status, detail } = readAnswer(await body.text())
    if (statusCode === 200 && status === 'ready') return null
    return typeof detail === 'string' ? `${statusCode}: ${detail}` : strangerError(url, statusCode).message
  } catch (error) {
    return `nobody answers (${wordsOf(error)}).`
  }
}

function readAnswer(text: string): { status?: unknown; detail?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
