import { defineConfig } from 'drizzle-kit'

/** As drizzle.config.ts, for the store of several hubs. */
export default defineConfig({
  dialect: 'postgresql',
  schema: './src/store/postgres/schema.ts',
  out: './src/store/postgres/migrations',
})
