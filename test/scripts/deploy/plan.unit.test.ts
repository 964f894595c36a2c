import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Variables } from '../../../edge/platform/env.ts'
import { readConfig, toInstallation, writeDeployedConfig } from '../../../scripts/deploy/config.ts'
import { emptyRemote, planDeployment, secretNames, settingNames } from '../../../scripts/deploy/plan.ts'
import { derivePreviewConfig } from '../../../scripts/deploy/preview.ts'
import { computeIdlePrice, countRunsPerMonth } from '../../../scripts/deploy/price.ts'
import { root } from '../../../scripts/lib/root.ts'

const { raw, installation } = readConfig(root)
const allNames = ({ worker, database, buckets, queues }: typeof installation) => [
	...[worker, database],
	...Object.values(buckets),
	...queues,
]

test('each variable of the Worker can be deployed, except those of `npm start` alone', () => {
	const configured = Object.keys(raw.vars ?? {})
	expect([...secretNames, ...settingNames, ...configured, 'WEBHOOK_NETWORKS'].toSorted()).toEqual(
		Object.keys(Variables.shape).toSorted(),
	)
})

test('a deployment rejects a wrong recipient of backups', () => {
	const variables = { BACKUP_RECIPIENT: 'age1typo' }
	expect(() => planDeployment(installation, emptyRemote, variables)).toThrow('BACKUP_RECIPIENT must be')
})

test('a preview shares no resource and no rate limit with the installation', () => {
	const config = { ...raw, routes: ['video.example.org/*'] }
	const preview = derivePreviewConfig(config, 'pr-7')
	expect(allNames(toInstallation(preview))).toEqual(allNames(installation).map((name) => `${name}-pr-7`))
	expect(preview).not.toHaveProperty('routes')
	const namespaces = (of: typeof raw) => (of.ratelimits ?? []).map(({ namespace_id: id }) => id)
	expect(namespaces(raw).length).toBeGreaterThan(5)
	const together = [
		...namespaces(raw),
		...namespaces(preview),
		...namespaces(derivePreviewConfig(raw, 'pr-8')),
	]
	expect(new Set(together).size).toBe(3 * namespaces(raw).length)
	const bucketNames = preview.r2_buckets?.map(({ bucket_name: name }) => name)
	expect([preview.vars?.VAULT_BUCKET, preview.vars?.MEDIA_BUCKET]).toEqual(bucketNames)
	for (const name of allNames(toInstallation(preview))) expect(name.length).toBeLessThanOrEqual(63)
})

test('a preview uses a separate database even if wrangler.toml has the id of the real one', () => {
	const databases = (raw.d1_databases ?? []).map((database) => ({
		...database,
		database_id: 'id-of-the-real-one',
	}))
	expect(toInstallation({ ...raw, d1_databases: databases }).databaseId).toBe('id-of-the-real-one')
	expect(
		toInstallation(derivePreviewConfig({ ...raw, d1_databases: databases }, 'x')).databaseId,
	).toBeUndefined()
})

test.each(['', 'Upper', 'a_b', '-a', 'a-', 'a'.repeat(31), '../x', 'a b'])(
	'a deployment rejects the preview name %j',
	(name) => {
		expect(() => derivePreviewConfig(raw, name)).toThrow('--preview')
	},
)

test('a deployment uses the database whose id is in wrangler.toml, instead of creating one', () => {
	const [first] = raw.d1_databases ?? []
	const given = {
		...raw,
		d1_databases: [{ ...first, binding: 'DB', database_id: 'given-id', database_name: 'other' }],
	}
	const { databaseId } = toInstallation(given)
	const steps = planDeployment(toInstallation(given), { ...emptyRemote, databaseId }, {})
	expect(steps.map(({ kind }) => kind)).not.toContain('create-database')
	const config = writeDeployedConfig(
		{ root, raw: given, installation },
		join(root, 'x', 'wrangler.json'),
		databaseId ?? '',
		{},
	)
	expect(config.d1_databases).toMatchObject([
		{ binding: 'DB', database_id: 'given-id', database_name: 'other' },
	])
	expect(installation.databaseId).toBeUndefined()
})

test('a deployment generates no token for machines where nobody could read it', () => {
	const generated = (variables: Record<string, string>) =>
		planDeployment(installation, emptyRemote, variables).flatMap((step) =>
			step.kind === 'set-secrets' ? step.generated : [],
		)
	expect(generated({})).toEqual(['AUTH_SECRET', 'FLEET_TOKEN'])
	expect(generated({ WORKERS_CI: '1' })).toEqual(['AUTH_SECRET'])
})

test('an idle installation costs the plan alone, and more only beyond what the plan includes', () => {
	const runs = countRunsPerMonth(raw.triggers?.crons ?? [])
	// Each minute, every ten minutes, and twice a day, on 30 days.
	expect(runs).toBe(30 * (1_440 + 144 + 2))
	expect(computeIdlePrice(runs).dollars).toBe(5)
	const busy = computeIdlePrice(12_000_000)
	expect(busy.lines[0]?.dollars).toBeCloseTo(2 * 0.3)
	expect(busy.dollars).toBeGreaterThan(5)
})
