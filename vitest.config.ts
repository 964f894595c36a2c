import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { readMigrations } from './scripts/lib/migrations.ts'
import { SlowFilesFirst } from './scripts/test/slow-files-first.ts'
import { chromiumPath } from './test/support/shared/chromium.ts'
import { needs } from './test/support/shared/needs.ts'
import { testVariables } from './test/support/shared/variables.ts'
import { findPrograms } from './transcoder-daemon/ffmpeg/binary.ts'

/** For tests that run in workerd. */
const inWorkerd = (bindings: (inject: (name: 'libsqlBase') => string) => Record<string, string>) =>
	cloudflareTest(async ({ inject }) => ({
		wrangler: { configPath: './wrangler.toml' },
		// Otherwise the runtime prints a stack for each error that a test causes.
		verbose: false,
		miniflare: {
			bindings: {
				...testVariables,
				MIGRATIONS: await readMigrations(),
				// Set by npm run prove -- account-deletion for the long version of a simulation.
				SIMULATED_REQUESTS: process.env.SIMULATED_REQUESTS ?? '',
				// Set by npm run prove -- community.
				PROOF_SEEDS: process.env.PROOF_SEEDS ?? '',
				PROOF_OPERATIONS: process.env.PROOF_OPERATIONS ?? '',
				// Set by npm run prove -- properties.
				PROPERTY_RUNS_FACTOR: process.env.PROPERTY_RUNS_FACTOR ?? '',
				// Set by npm run prove -- billing.
				PROOF_BILLING_RUNS: process.env.PROOF_BILLING_RUNS ?? '',
				PROOF_BILLING_SEED: process.env.PROOF_BILLING_SEED ?? '',
				...bindings(inject),
			},
		},
	}))

/** A file that starts with `@module-tag ffmpeg` is skipped, with its hooks, if that program is missing. */
const programTags = [
	{ name: 'ffmpeg', ...needs({ ffmpeg: await findPrograms() }) },
	{ name: 'chromium', ...needs({ Chromium: chromiumPath }) },
]

const edgeTests = 'test/**/*.edge.test.ts'

/**
 * Tests with the tag `d1` do not run again on libSQL: they touch no database, or send only statements that other tests
 * send, too. `npm test` fails if the Worker sent a statement to D1 that it never sent to libSQL.
 */
const d1Tag = { name: 'd1' }
const skippedOnLibsql = { ...d1Tag, skip: true, meta: { isSkippedOnLibsql: true } }
// The long version runs all tests on both databases.
const libsqlTag = process.env.LIBSQL_RUNS_ALL ? d1Tag : skippedOnLibsql
/** Files of which every test has the tag are not even loaded. */
const d1Files = globSync(edgeTests, { cwd: import.meta.dirname }).filter((file) =>
	/^\/\*\* @module-tag d1 /.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
)

const workers = Math.max(2, availableParallelism())

/** One runtime for many files: starting workerd for each takes longer than its tests do. See `emptyRuntime`. */
const oneRuntime = {
	isolate: false,
	setupFiles: ['test/support/edge/setup.ts'],
	// One file in place of 300.
	deps: { optimizer: { ssr: { enabled: true, include: ['stripe'] } } },
}

export default defineConfig({
	test: {
		// Long, as test machines may be slow and shared.
		testTimeout: 300_000,
		hookTimeout: 300_000,
		// The default of one second is too short for a page on a busy machine.
		expect: { poll: { timeout: 60_000 } },
		// The output of a test is shown only if it fails.
		silent: 'passed-only',
		// Vitest's default leaves one core idle.
		maxWorkers: workers,
		tags: [...programTags, d1Tag],
		sequence: { sequencer: SlowFilesFirst },
		projects: [
			{
				extends: true,
				test: {
					name: 'unit',
					include: ['test/**/*.unit.test.ts'],
					setupFiles: ['test/support/unit/unit-setup.ts'],
					isolate: false,
				},
			},
			{
				extends: true,
				plugins: [inWorkerd(() => ({}))],
				test: { name: 'edge', include: [edgeTests], ...oneRuntime },
			},
			{
				extends: true,
				plugins: [inWorkerd((inject) => ({ LIBSQL_BASE: inject('libsqlBase') }))],
				test: {
					name: 'edge-libsql',
					include: [edgeTests],
					tags: [...programTags, libsqlTag],
					exclude: process.env.LIBSQL_RUNS_ALL ? [] : d1Files,
					...oneRuntime,
					globalSetup: ['test/support/libsql/global-setup.ts'],
				},
			},
			{
				extends: true,
				test: {
					name: 'node',
					include: ['test/**/*.node.test.ts'],
					// Files share processes, because loading Miniflare takes a second.
					isolate: false,
					setupFiles: ['test/support/node/node-setup.ts'],
					// Each poll asks a browser or a server, which takes more CPU time than what it waits for.
					expect: { poll: { timeout: 60_000, interval: 200 } },
					// These wait for processes, pages and media, so twice as many keep all cores busy.
					maxWorkers: workers * 2,
					sequence: { groupOrder: 1 },
				},
			},
		],
	},
})
