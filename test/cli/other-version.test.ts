import { expect, test } from 'vitest'
import { OWN_VERSION } from '../../src/lib/own-version.ts'
import { listen } from '../listen.ts'
import { asking } from './run.ts'

/** Answers what a hub of another version answers, by path; whatever else it is asked for, it does not know. */
async function otherHub(answers: Record<string, object>) {
  const asked: string[] = []
  const server = await listen(({ url = '', method }, response) => {
    const [path = ''] = url.split('?')
    asked.push(path)
    const answer = answers[path] ?? {
      status: 404,
      code: 'not-found',
      title: 'Not found',
      detail: `There is no ${method} ${path} here.`,
    }
    response.writeHead(path in answers ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  return {
    ...server,
    asked,
  }
}

test('When a hub does not know what a command asks, then it says that their versions differ, not what path is missing', async () => {
  await using older = await otherHub({})
  const { code, err } = await asking(older)('audit', 'list')
  expect(code).toBe(2)
  expect(err).toBe(
    `The hub at ${older.url} does not know GET /admin/audit, which this command (Tillbridge ${OWN_VERSION}) asks: it is of another version. Use the command of that version, or update the hub.\n`,
  )
})
