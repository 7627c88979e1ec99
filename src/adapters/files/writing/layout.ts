import { createHash } from 'node:crypto'

/*
 * What stands in the hidden folder beside the files:
 *
 *   .tillbridge/work/<id>                            content that is being written, and manifests that are
 *   .tillbridge/names/<final name>                   empty: the name is taken, for as long as its manifest is kept
 *   .tillbridge/keys/<day>/<tag>.<id>.<final name>.keys   a manifest: what a file holds. `day`: when it was written, in UTC
 *
 * The tag of a manifest of one record is `1-<digest of its key>`, of one of several `n`: to look for a key, only its own
 * manifest and those of several records have to be read.
 */

export const HIDDEN = '.tillbridge'
export const WORK = `${HIDDEN}/work`
export const NAMES = `${HIDDEN}/names`
export const KEYS = `${HIDDEN}/keys`

/** The tag of a file of several records. */
export const SEVERAL = 'n'

/** The facts in the name of a manifest. */
export interface ManifestName {
  tag: string
  /** The id of the content in the folder of work. */
  id: string
  /** The name of the file in the end. */
  name: string
}

const MANIFEST = /^(?<tag>n|1-[0-9a-f]{32})\.(?<id>[0-9a-f-]{36})\.(?<name>.+)\.keys$/

export function manifestName({ tag, id, name }: ManifestName): string {
  return `${tag}.${id}.${name}.keys`
}

/** Null: it is none. */
export function readManifestName(text: string): ManifestName | null {
  const { tag, id, name } = MANIFEST.exec(text)?.groups ?? {}
  return tag !== undefined && id !== undefined && name !== undefined ? { tag, id, name } : null
}

export function tagOf(keys: readonly string[]): string {
  const [only, ...others] = keys
  return only !== undefined && others.length === 0 ? tagOfOne(only) : SEVERAL
}

export function tagOfOne(key: string): string {
  return `1-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
}
