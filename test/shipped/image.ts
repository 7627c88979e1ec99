import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { comesAlong, ROOT, stepsOf } from '../docs/docker-context.ts'

/** Where Docker is not to be had: what the Dockerfile does, done in a folder that stands for the image's whole file system. */
export interface Image {
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
export function buildImage(folder: string): Image {
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
