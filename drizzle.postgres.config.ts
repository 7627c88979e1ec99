import { defineConfig } from 'drizzle-kit'

/** As drizzle.config.ts, for the store of several hubs. */
export default defineConfig({
  dialect: 'postgresql',
  schema: './src/storage/postgres/schema.ts',
  out: './src/storage/postgres/migrations',
})
