import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Deployment } from 'kubernetes-models/apps/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, PersistentVolumeClaim, Service } from 'kubernetes-models/v1'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { ROOT } from '../../tools/docker-context.ts'
import { tillbridge } from '../cli/run.ts'
import { createFolder } from '../hub.ts'

/*
 * The chart of config/deploy/helm, rendered by Go's templates, which are Helm's (render.go), and judged by the schemas of Kubernetes.
 */

const CHART = join(ROOT, 'config/deploy/helm')
const GO = '/usr/bin/go'
const TEMPLATES = ['config.yaml', 'hub.yaml'].map((name) => join(CHART, 'templates', name))
const MODELS = { ConfigMap, Deployment, PersistentVolumeClaim, PodDisruptionBudget, Service }
const SECRETS = { ADMIN_TOKEN: 'admin-token-of-a-pod', WEBHOOK_TOKEN: 'webhook-token-of-a-pod' }

interface Rendered {
  kind: keyof typeof MODELS
  metadata: { name: string }
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another form, which its model checks
  [section: string]: any
}

const usual = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Record<string, object>

describe.skipIf(!existsSync(GO))('the Helm chart', () => {
  let folder: Awaited<ReturnType<typeof createFolder>>
  let program = ''

  beforeAll(async () => {
    folder = await createFolder()
    program = join(folder.path, 'render')
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: join(folder.path, 'cache') }
    execFileSync(GO, ['build', '-o', program, join(import.meta.dirname, 'helm/render.go')], { env, stdio: 'pipe' })
  })
  afterAll(() => folder[Symbol.asyncDispose]())

  /** Every object, once its schema has found nothing. Throws what the templates say of values that are wrong. */
  function render(values: object): Rendered[] {
    const args = [stringify(values), join(CHART, 'Chart.yaml'), 'pos', ...TEMPLATES]
    const text = execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' })
    const objects = parseAllDocuments(text)
      .map((one) => {
        expect(one.errors).toEqual([])
        return one.toJS() as Rendered | null
      })
      .filter((one) => one !== null)
    for (const one of objects) {
      const { apiVersion: _apiVersion, kind: _kind, ...rest } = one
      const model = new MODELS[one.kind](rest as object)
      model.validate()
      expect(one).toMatchObject({ apiVersion: model.apiVersion, kind: model.kind })
    }
    return objects
  }

  test('with PostgreSQL it has hubs that are replaced one after the other, of a user without rights', () => {
    const objects = render(usual)
    expect(objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Deployment', 'Service', 'PodDisruptionBudget'])
    const { spec } = objects.find(({ kind }) => kind === 'Deployment') as Rendered
    expect(spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxUnavailable: 0 } } })
    const pod = spec.template.spec
    expect(pod).toMatchObject({ securityContext: { runAsNonRoot: true }, automountServiceAccountToken: false })
    expect(pod.containers[0]).toMatchObject({
      image: `tillbridge:${parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')).version}`,
      envFrom: [{ secretRef: { name: 'tillbridge' } }],
      securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    })
  })

  test('with SQLite it has one hub with a volume, the old one of which ends before the new one begins', () => {
    const objects = render({ ...usual, storage: 'sqlite', replicas: 3 })
    expect(objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Deployment', 'Service', 'PersistentVolumeClaim'])
    const { spec } = objects.find(({ kind }) => kind === 'Deployment') as Rendered
    expect(spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
    expect(spec.template.spec.volumes).toContainEqual({ name: 'data', persistentVolumeClaim: { claimName: 'pos' } })
  })

  test.each([
    ['postgres', { DATABASE_URL: 'postgres://hub@db/tillbridge' }],
    ['sqlite', { DATABASE_URL: 'file:./data/tillbridge.db' }],
  ])('its config is one that a hub on %s starts with, and another one is another pod', async (storage, env) => {
    const [config, deployment] = render({ ...usual, storage })
    const file = join(folder.path, `${storage}.yaml`)
    await writeFile(file, config?.data['tillbridge.yaml'])
    const checked = await tillbridge(['check'], { ...SECRETS, ...env, TILLBRIDGE_CONFIG: file })
    expect([0, 1], checked.err).toContain(checked.code)
    const changed = render({ ...usual, storage, config: { ...usual.config, log: { level: 'debug' } } })[1]
    const sum = (one: Rendered | undefined) => one?.spec.template.metadata.annotations['checksum/config']
    expect(sum(changed)).not.toBe(sum(deployment))
  })

  test('values that are wrong are refused in words', () => {
    expect(() => render({ ...usual, storage: 'mysql' })).toThrow('storage: found "mysql", expected postgres or sqlite')
    const { secret: _, ...without } = usual
    expect(() => render(without)).toThrow('secret')
  })

  test('its version is that of the program', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))).toMatchObject({ version, appVersion: version })
  })
})
