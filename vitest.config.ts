import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { readMigrations } from './scripts/migrations.ts'
import { testVariables } from './test/shared/variables.ts'

/** The Worker's own tests, in workerd. */
const inWorkerd = (bindings: (inject: (name: 'libsqlBase') => string) => Record<string, string>) =>
	cloudflareTest(async ({ inject }) => ({
		wrangler: { configPath: './wrangler.toml' },
		miniflare: {
			bindings: {
				...testVariables,
				MIGRATIONS: await readMigrations(),
				// Set by scripts/prove/account-deletion.ts for the long form of a simulation.
				SIMULATED_REQUESTS: process.env.SIMULATED_REQUESTS ?? '',
				// Set by scripts/prove/community.ts.
				PROOF_SEEDS: process.env.PROOF_SEEDS ?? '',
				PROOF_OPERATIONS: process.env.PROOF_OPERATIONS ?? '',
				...bindings(inject),
			},
		},
	}))

export default defineConfig({
	test: {
		// Machines are slow and shared; no test is judged by how long it takes.
		testTimeout: 120_000,
		hookTimeout: 120_000,
		projects: [
			{
				extends: true,
				plugins: [inWorkerd(() => ({}))],
				test: { name: 'edge', include: ['test/edge/**/*.test.ts'] },
			},
			{
				extends: true,
				plugins: [inWorkerd((inject) => ({ LIBSQL_BASE: inject('libsqlBase') }))],
				test: {
					name: 'edge-libsql',
					include: ['test/edge/**/*.test.ts'],
					// What touches no database need not run twice.
					exclude: ['test/edge/{documents,platform,storage-door}/**'],
					globalSetup: ['test/node/libsql/global-setup.ts'],
				},
			},
			{ extends: true, test: { name: 'node', include: ['test/node/**/*.test.ts'] } },
		],
	},
})
