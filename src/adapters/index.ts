import type { Adapter } from './adapter.ts'
import http from './http/http.ts'

/** The adapters that come with Tillbridge: what `adapter:` in config may name. Add a new one here. */
export const builtInAdapters: readonly Adapter[] = [http]
