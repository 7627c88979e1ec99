import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../sandbox/demo/free-port.ts'
import { comesAlong, ROOT, stepsOf } from '../../tools/docker-context.ts'
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

/** A stage of the Dockerfile: its file system, and what holds for commands in it. */
interface Stage {
  root: string
  cwd: string
  env: Record<string, string>
}

/** Takes the steps of the Dockerfile, with the files that .dockerignore lets in. */
function buildImage(folder: string): Image {
  const context = join(folder, 'context')
  for (const file of filesOfCheckout().filter(comesAlong)) cpSync(join(ROOT, file), join(context, file))
  const stages = new Map<string, Stage>()
  let stage = openStage(folder, 'none')
  let asNobody = false
  let command: string[] = []
  let healthCheck = ''

  const path = (inImage: string) => join(stage.root, inImage)
  const inside = (text: string) =>
    text.replace(/(?<![\w./])\/(app|build|usr\/local\/bin)\b/g, (inImage) => path(inImage))

  const steps: Record<string, (rest: string) => void> = {
    FROM(rest) {
      const [, name = 'image'] =
        /^(?:--platform=\$BUILDPLATFORM )?node:24-slim(?: AS (\w+))?$/.exec(rest) ?? mustBe(rest)
      stage = openStage(folder, name)
      stages.set(name, stage)
    },
    EXPOSE: () => undefined,
    VOLUME: (rest) => existsSync(path(rest)) || mustBe(rest),
    WORKDIR(rest) {
      stage.cwd = rest
      mkdirSync(path(rest), { recursive: true })
    },
    ENV(rest) {
      for (const pair of rest.split(' ')) {
        const [name = '', value = ''] = pair.split('=')
        stage.env[name] = inside(value.replace(/\$(\w+)/g, (_, other) => stage.env[other] ?? ''))
      }
    },
    COPY(rest) {
      const [, name, names = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(rest) ?? []
      const from = names.split(' ')
      const last = from.pop() ?? ''
      const to = join(path(stage.cwd), last)
      for (const one of from) {
        const source = join(name === undefined ? context : (stages.get(name)?.root ?? mustBe(rest)), one)
        // Of a folder, what is in it.
        const isFile = statSync(source).isFile() && (last.endsWith('/') || from.length > 1)
        cpSync(source, isFile ? join(to, basename(one)) : to, { recursive: true })
      }
    },
    RUN(rest) {
      const owner = mayChange ? `${NONE}:${NONE}` : `${process.getuid?.()}:${process.getgid?.()}`
      const npm = { npm_config_cache: npmCache(), HOME: folder }
      const line = inside(rest).replace('node:node', owner)
      execFileSync('sh', ['-c', line], { cwd: path(stage.cwd), env: { ...stage.env, ...npm }, stdio: 'pipe' })
    },
    USER(rest) {
      if (rest !== 'node') mustBe(rest)
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
    return spawn(program, args, {
      cwd: path(stage.cwd),
      env: { ...stage.env, TMPDIR: tmp, ...more },
      stdio: 'pipe',
      ...who,
    })
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

/** The image that a stage begins with: Node, for a user who may not look into our folders. */
function openStage(folder: string, name: string): Stage {
  const root = join(folder, name)
  const bin = join(root, 'usr/local/bin')
  mkdirSync(bin, { recursive: true })
  copyFileSync(process.execPath, join(bin, 'node'))
  for (let each = root; each.length >= folder.length; each = dirname(each)) chmodSync(each, 0o755)
  return { root, cwd: '/', env: { PATH: `${bin}:/usr/bin:/bin` } }
}

function npmCache(): string {
  return execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim()
}

function mustBe(text: string): never {
  throw new Error(`The Dockerfile says ${text}, which nothing here can carry out.`)
}

/** Of the hub and its libraries, compressed: a quarter above what they are (5.6 MB); source maps would be 5 MB more. */
const MAX_BYTES = 7 * 1000 ** 2

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

  test('When the image is made, then it has what is shipped alone, and is small', () => {
    const has = (path: string) => existsSync(image.path(`/app/${path}`))
    expect(
      ['lib/main.js', 'bin/tillbridge.mjs', 'node_modules/better-sqlite3', 'data'].filter((one) => !has(one)),
    ).toEqual([])
    expect(['src/main.ts', 'test', 'bench', 'docs', '.npmrc', 'tools/node24/node_modules'].filter(has)).toEqual([])
    const bytes = Number(
      execFileSync('sh', ['-c', 'tar -c --exclude=./data . | gzip -6 | wc -c'], { cwd: image.path('/app') }),
    )
    expect(bytes).toBeLessThan(MAX_BYTES)
  })

  test('When a day is played in it, then all that happened has arrived, once', async () => {
    const { code, out } = await image.run(`cd ${image.path('/tmp')} && tillbridge demo --exit`)
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('has happened, once.') })
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
