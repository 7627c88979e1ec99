import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../sandbox/demo/free-port.ts'
import { comesAlong, ROOT, stepsOf } from '../docs/docker-context.ts'
import { eventually } from '../eventually.ts'
import { createFolder } from '../hub.ts'

/** Where Docker is not to be had: what the Dockerfile does, done in a folder that stands for the image's whole file system. */
interface Image {
  /** A path of the image, where it really is. */
  path(inImage: string): string
  start(env: Record<string, string>): ChildProcess
  /** A command in the container, as its user: how it ended. */
  run(command: string, env?: Record<string, string>): Promise<Ended>
  healthCheck: string
}

interface Ended {
  code: number | null
  out: string
}

/** Who is `node` in here, if we may become somebody else. */
const NONE = 65_534
const mayChange = process.getuid?.() === 0

/** Takes the steps of the Dockerfile, with the files that .dockerignore lets in. */
function buildImage(folder: string): Image {
  const root = join(folder, 'image')
  const context = join(folder, 'context')
  for (const file of filesOfCheckout().filter(comesAlong)) cpSync(join(ROOT, file), join(context, file))
  // The image's own node, for the user who may not look into our folders.
  const bin = join(root, 'usr/local/bin')
  mkdirSync(bin, { recursive: true })
  copyFileSync(process.execPath, join(bin, 'node'))
  for (let each = root; each.length >= folder.length; each = dirname(each)) chmodSync(each, 0o755)

  const path = (inImage: string) => join(root, inImage)
  const inside = (text: string) => text.replace(/(?<![\w.])\/app\b/g, path('/app'))
  const env: Record<string, string> = { PATH: `${bin}:/usr/bin:/bin` }
  let cwd = '/'
  let asNobody = false
  let command: string[] = []
  let healthCheck = ''

  const steps: Record<string, (rest: string) => void> = {
    FROM: (rest) => mustBe(rest, /^node:24-slim/),
    EXPOSE: () => undefined,
    VOLUME: (rest) => mustBe(String(existsSync(path(rest))), /true/),
    WORKDIR(rest) {
      cwd = rest
      mkdirSync(path(cwd), { recursive: true })
    },
    ENV(rest) {
      for (const pair of rest.split(' ')) {
        const [name = '', value = ''] = pair.split('=')
        env[name] = inside(value.replace(/\$(\w+)/g, (_, other) => env[other] ?? ''))
      }
    },
    COPY(rest) {
      const from = rest.split(' ')
      const to = join(path(cwd), from.pop() ?? '')
      for (const one of from) {
        const isFile = rest.endsWith('/') || from.length > 1
        cpSync(join(context, one), isFile ? join(to, one.split('/').at(-1) ?? '') : to, { recursive: true })
      }
    },
    RUN(rest) {
      const owner = mayChange ? `${NONE}:${NONE}` : `${process.getuid?.()}:${process.getgid?.()}`
      const line = inside(rest).replace('node:node', owner)
      const npm = { npm_config_cache: npmCache(), HOME: folder }
      execFileSync('sh', ['-c', withoutCacheClean(line)], { cwd: path(cwd), env: { ...env, ...npm }, stdio: 'pipe' })
    },
    USER(rest) {
      mustBe(rest, /^node$/)
      asNobody = mayChange
    },
    HEALTHCHECK(rest) {
      healthCheck = rest.slice(rest.indexOf('CMD ') + 4)
    },
    CMD(rest) {
      command = JSON.parse(rest) as string[]
    },
  }
  for (const { verb, rest } of stepsOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))) {
    const step = steps[verb]
    if (!step) throw new Error(`Nothing is known of ${verb} in the Dockerfile.`)
    step(rest)
  }

  function begin([program = '', ...args]: string[], more: Record<string, string>): ChildProcess {
    const who = asNobody ? { uid: NONE, gid: NONE } : {}
    const tmp = path('/tmp')
    mkdirSync(tmp, { recursive: true })
    if (asNobody) chownSync(tmp, NONE, NONE)
    return spawn(program, args, { cwd: path(cwd), env: { ...env, TMPDIR: tmp, ...more }, stdio: 'pipe', ...who })
  }

  return {
    path,
    healthCheck,
    start: (more) => begin(command, more),
    async run(line, more = {}) {
      const child = begin(['sh', '-c', line], more)
      let out = ''
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (bytes) => {
          out += bytes
        })
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, out }
    },
  }
}

/** What stands in the checkout, committed or not: what Docker would be given, but for what is ignored by git. */
function filesOfCheckout(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean)
  return files.filter((file) => existsSync(join(ROOT, file)))
}

/** What was downloaded once is not downloaded again; it is not the image's to clear. */
function withoutCacheClean(line: string): string {
  return line.replace(' && npm cache clean --force', '')
}

function npmCache(): string {
  return execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim()
}

function mustBe(text: string, wanted: RegExp): void {
  if (!wanted.test(text)) throw new Error(`The Dockerfile says ${text}, and ${wanted} was expected.`)
}

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
