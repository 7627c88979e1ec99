import type { Adapter } from './adapter.ts'

const BUILT_IN: Readonly<Record<string, () => Promise<{ default: Adapter }>>> = {
  files: () => import('./files/files.ts'),
  http: () => import('./http/http.ts'),
  rest: () => import('./rest/rest.ts'),
  'sms-http': () => import('./sms-http/sms-http.ts'),
  smtp: () => import('./smtp/smtp.ts'),
  sql: () => import('./sql/sql.ts'),
  vendure: () => import('./vendure/vendure.ts'),
  woocommerce: () => import('./woocommerce/woocommerce.ts'),
}

export const builtInNames: readonly string[] = Object.keys(BUILT_IN)

export async function builtInAdapter(name: string): Promise<Adapter | null> {
  const load = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined
  return load ? (await load()).default : null
}

export async function builtInAdapters(): Promise<Adapter[]> {
  return (await Promise.all(Object.values(BUILT_IN).map((load) => load()))).map((module) => module.default)
}
