import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../sandbox/demo/free-port.ts'
import { eventually } from '../eventually.ts'
import { createFolder } from '../hub.ts'
import { buildImage, type Image } from './image.ts'

const SECRETS = {
  ADMIN_TOKEN: 'an-admin-token-of-the-image',
  WEBHOOK_TOKEN: 'a-webhook-token-of-the-image',
  BUS_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
}

/** A start takes as long as the machine has other things to do (milliseconds). */
const TIMEOUT_MS = 60_000

describe('the image', () => {
  let folder: Awaited<ReturnType<typeof createFolder>>
  let image: Image

  beforeAll(async () => {
    folder = await createFolder()
    image = buildImage(folder.path)
  })
  afterAll(() => folder[Symbol.asyncDispose]())

  test('When a hub runs in it on the example, then it is healthy at the port of its config, and commands speak to it', async () => {
    const config = `${image.path('/app/config')}/tillbridge.yaml`
    const port = await freePort()
    writeFileSync(config, example().replace('port: 8080', `port: ${port}`), { mode: 0o644 })
    expect((await image.run(image.healthCheck, SECRETS)).code).toBe(1)

    const hub = image.start(SECRETS)
    try {
      await eventually(
        async () => expect(await image.run(image.healthCheck, SECRETS)).toMatchObject({ code: 0 }),
        TIMEOUT_MS,
      )
      const status = await image.run('tillbridge status --json', SECRETS)
      expect(JSON.parse(status.out).destinations).toMatchObject([{ name: 'bus' }])
      expect(await image.run('tillbridge backup data/saved.db', SECRETS)).toMatchObject({ code: 0 })
      expect((await image.run('touch config/mine', SECRETS)).code).not.toBe(0)
    } finally {
      hub.kill('SIGTERM')
    }
    await eventually(() => expect(hub.exitCode).toBe(0), TIMEOUT_MS)
  })

  test('When the image is made, then it has the hub alone: no sandbox, no demo, none of their packages', () => {
    const has = (path: string) => existsSync(image.path(`/app/${path}`))
    expect(['src/app/hub.ts', 'bin/tillbridge.mjs', 'node_modules/express'].filter(has)).toHaveLength(3)
    const others = ['sandbox', 'test', 'bench', 'docs', 'node_modules/smtp-server', 'node_modules/vitest']
    expect(others.filter(has)).toEqual([])
  })

  test('When its data folder cannot be written, then it is not healthy, and says why', async () => {
    const config = `${image.path('/app/config')}/tillbridge.yaml`
    const port = await freePort()
    const closed = example().replace('port: 8080', `port: ${port}`).replace('file:./data/', 'file:./config/')
    writeFileSync(config, closed, { mode: 0o644 })
    const hub = image.start(SECRETS)
    try {
      await eventually(async () => {
        const { code, out } = await image.run(image.healthCheck, SECRETS)
        expect({ code, out }).toMatchObject({ code: 1, out: expect.stringContaining('503') })
      }, TIMEOUT_MS)
    } finally {
      hub.kill('SIGKILL')
    }
  })

  test('When an adapter of one’s own is mounted, then the config may name it', async () => {
    const page = readFileSync(new URL('../../docs/adapters/write-your-own.md', import.meta.url), 'utf8')
    const [, code = ''] = /```ts\n(.*?)```/s.exec(page) ?? []
    await mkdir(image.path('/app/my-adapters'), { mode: 0o755, recursive: true })
    writeFileSync(image.path('/app/my-adapters/queue.ts'), code, { mode: 0o644 })
    const queue = `destinations:\n  queue: { adapter: ../my-adapters/queue.ts, url: https://queue.example.com, token: "\${BUS_SECRET}", publish: all }\n`
    writeFileSync(image.path('/app/config/tillbridge.yaml'), example().replace('destinations:\n', queue), {
      mode: 0o644,
    })
    const checked = await image.run('tillbridge check', SECRETS)
    expect(checked).toMatchObject({ code: 0, out: expect.stringMatching(/^queue +\.\.\/my-adapters\/queue\.ts/m) })
  })

  test('When there is no config yet, then tillbridge init writes one', async () => {
    await mkdir(image.path('/here'), { recursive: true })
    const made = await image.run(`cd ${image.path('/tmp')} && tillbridge init && ls -l .env config/tillbridge.yaml`)
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/-rw-------.*\.env/) })
  })

  function example(): string {
    return readFileSync(image.path('/app/config/example.yaml'), 'utf8')
  }
})
