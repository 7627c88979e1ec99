import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A Node of this machine that Tillbridge cannot run on; null where there is none. */
export function oldNode(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const all = folders.map((folder) => join(folder, 'node')).filter((path) => existsSync(path))
  return all.find((node) => majorOf(node) < 24) ?? null
}

function majorOf(node: string): number {
  return Number(execFileSync(node, ['-p', 'process.versions.node.split(".")[0]']).toString())
}
