// drizzle-kit only finds tables that a module exports by name.
module.exports = {
  ...require('../src/store/sqlite/schema.ts').tables,
  ...require('../src/store/sqlite/usage-schema.ts'),
}
