import { defineConfig } from 'drizzle-kit'

/** `npm run migrations` writes the next migration from the schema; the hub applies them at start. */
export default defineConfig({
  dialect: 'sqlite',
  schema: './src/storage/sqlite/schema.ts',
  out: './src/storage/sqlite/migrations',
})
