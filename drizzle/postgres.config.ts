import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: ['./src/store/postgres/schema.ts', './src/store/postgres/usage-schema.ts'],
  out: './drizzle/postgres',
})
