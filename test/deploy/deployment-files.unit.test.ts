import { randomBytes } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { BlockList, isIPv6 } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { healthLive, healthReady } from '#schema/contract/operations/health.ts'
import { getMetrics } from '#schema/contract/operations/installation/metrics.ts'
import { isPublicAddress } from '#schema/contract/video/source-url.ts'
import { Variables } from '../../edge/platform/env.ts'
import { transcodingMetrics } from '../../edge/video/transcoding/metrics.ts'
import { planJob } from '../../edge/video/transcoding/plan/plan.ts'
import { printUsage as startUsage } from '../../scripts/lib/installation/settings.ts'
import { root } from '../../scripts/lib/root.ts'
import { usage as daemonUsage } from '../../transcoder-daemon/config.ts'
import { chooseSlots } from '../../transcoder-daemon/machine/machine.ts'
import { requireMemory } from '../../transcoder-daemon/run/admission.ts'
import { estimateMemory } from '../../transcoder-daemon/run/task-memory.ts'
import { describeOptions, describeSource } from '../support/shared/described-source.ts'

// biome-ignore lint/suspicious/noExplicitAny: files of other programs, whose fields the tests check.
type Parsed = any

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const dockerfiles = ['deploy/Dockerfile', 'transcoder-daemon/Dockerfile']
const units = ['deploy/playhouse.service', 'transcoder-daemon/playhouse-daemon.service']
const compose: Parsed = parse(read('deploy/compose.yaml'), { merge: true })
const manifests: Parsed[] = globSync('deploy/kubernetes/*.yaml', { cwd: root }).flatMap((path) =>
	parseAllDocuments(read(path)).map((document) => document.toJS()),
)
const pods = manifests.filter(({ spec }) => spec.template)
const daemonDeployment = pods.find(({ metadata }) => metadata.name === 'playhouse-daemon')
const daemonPod = daemonDeployment.spec.template.spec

/** Variables that Node and the C library read. */
const ofPrograms = ['NODE_ENV', 'MALLOC_ARENA_MAX']
const known = new Set([
	...Object.keys(Variables.shape),
	...[...`${startUsage('npm start')}${daemonUsage}`.matchAll(/^ +([A-Z][A-Z_]+) /gm)].map(([, name]) => name),
	...ofPrograms,
])
const isKnown = (name: string) => known.has(name) || known.has(name.replace(/_FILE$/, ''))
const unknownIn = (names: readonly string[]) => names.filter((name) => !isKnown(name))

const gibibytes = (quantity: string) => Number(/^(\d+)Gi$/.exec(quantity)?.[1])

/** Returns whether one of the blocks of a NetworkPolicy contains an address. */
function reachedBy(blocks: { cidr: string; except: string[] }[]): (address: string) => boolean {
	const listOf = (networks: string[]) => {
		const list = new BlockList()
		for (const network of networks) {
			const [address = '', bits] = network.split('/')
			list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4')
		}
		return (address: string) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
	}
	const isInside = listOf(blocks.map(({ cidr }) => cidr))
	const isExcepted = listOf(blocks.flatMap(({ except }) => except))
	return (address) => isInside(address) && !isExcepted(address)
}

/** Instructions of a Dockerfile with their arguments; continued lines are joined. */
const instructionsOf = (path: string) =>
	read(path)
		.replaceAll(/^#.*\n/gm, '')
		.replaceAll(/\\\n\s*/g, ' ')
		.split('\n')
		.filter(Boolean)
		.map((line) => {
			const [name = '', ...rest] = line.split(' ')
			return { name, text: rest.join(' ') }
		})
const argumentsOf = (path: string, name: string) =>
	instructionsOf(path).flatMap((each) => (each.name === name ? [each.text] : []))

/** Whether Docker gets a path: the last pattern of .dockerignore that fits decides. */
const isSent = (path: string) =>
	read('.dockerignore')
		.split('\n')
		.filter((line) => line && !line.startsWith('#'))
		.reduce((sent, line) => {
			const pattern = line.replace(/^!/, '')
			const fits = pattern === '*' || path === pattern || path.startsWith(`${pattern}/`)
			return fits ? line.startsWith('!') : sent
		}, true)

test('images and the systemd unit set LOG_FORMAT=json', () => {
	for (const path of [...dockerfiles, 'deploy/playhouse.service'])
		expect(read(path), path).toContain(' LOG_FORMAT=json')
})

test('the test of deployment files knows the variables that it compares with', () => {
	expect(
		unknownIn(['AUTH_SECRET', 'AUTH_SECRET_FILE', 'DATA_DIR', 'PLAYHOUSE_FLEET_TOKEN', 'LOG_FORMAT']),
	).toEqual([])
	expect(unknownIn(['AUTH_SECRETS', 'PLAYHOUSE_TOKENS_FILE'])).toHaveLength(2)
})

test.each(dockerfiles)(
	'%s runs an existing program as an unprivileged user, and reports its health',
	(path) => {
		const names = instructionsOf(path).map(({ name }) => name)
		expect(argumentsOf(path, 'FROM')).toEqual([expect.stringMatching(/^node:24-slim$/)])
		expect(argumentsOf(path, 'USER')).toEqual(['node'])
		expect(names.lastIndexOf('RUN')).toBeLessThan(names.indexOf('USER'))
		expect(names).toContain('HEALTHCHECK')
		const [entrypoint = '[]'] = argumentsOf(path, 'ENTRYPOINT')
		const script = (JSON.parse(entrypoint) as string[]).find((part) => part.includes('/')) ?? ''
		expect(existsSync(join(root, script)), script).toBe(true)
		expect(
			unknownIn(
				argumentsOf(path, 'ENV').flatMap((text) => text.split(' ').map((each) => each.split('=')[0] ?? '')),
			),
		).toEqual([])
	},
)

test.each(dockerfiles)('%s copies only existing files that .dockerignore lets through', (path) => {
	const sources = argumentsOf(path, 'COPY').flatMap((text) => text.split(' ').slice(0, -1))
	expect(sources.length).toBeGreaterThan(3)
	expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
	expect(sources.filter((source) => !isSent(source))).toEqual([])
	expect(
		['.env', '.playhouse/secrets.json', 'deploy/secrets/auth_secret', 'node_modules/zod'].filter(isSent),
	).toEqual([])
})

test('the image of the Worker listens where its health check, Caddy and Kubernetes expect it', () => {
	const environment = argumentsOf('deploy/Dockerfile', 'ENV').join(' ')
	expect(environment).toContain('PORT=8787')
	expect(argumentsOf('deploy/Dockerfile', 'EXPOSE')).toEqual(['8787'])
	expect(argumentsOf('deploy/Dockerfile', 'HEALTHCHECK').join()).toContain(
		`127.0.0.1:8787${healthReady.path}`,
	)
	expect(read('deploy/Caddyfile')).toContain('reverse_proxy edge:8787 ')
	const [edge] = pods.filter(({ metadata }) => metadata.name === 'playhouse')
	const [container] = edge.spec.template.spec.containers
	expect(container.ports).toEqual([{ name: 'http', containerPort: 8787 }])
	expect(container.readinessProbe.httpGet.path).toBe(healthReady.path)
	expect(container.livenessProbe.httpGet.path).toBe(healthLive.path)
})

test('secrets are made without a line break, which KEDA would send as a part of the token', () => {
	const lines = [
		'docs/operations/self-hosting.md',
		'deploy/compose.yaml',
		'deploy/playhouse.service',
	].flatMap((path) =>
		read(path)
			.split('\n')
			.filter((line) => /openssl rand .*>/.test(line)),
	)
	expect(lines.length).toBeGreaterThanOrEqual(4)
	for (const line of lines) expect(line).toContain("openssl rand -hex 32 | tr -d '\\n' > ")
	const made = randomBytes(32).toString('hex')
	expect(Variables.safeParse({ AUTH_SECRET: made, FLEET_TOKEN: made, METRICS_TOKEN: made }).success).toBe(
		true,
	)
})

test('compose.yaml builds what exists, pins every image, and gives containers known variables and secrets', () => {
	for (const [name, service] of Object.entries<Parsed>(compose.services)) {
		expect(service.image, name).toMatch(/:v?\d+\.\d+/)
		expect(service.restart, name).toBe('unless-stopped')
		expect(service.cap_drop, name).toEqual(['ALL'])
		if (service.build) {
			expect(service).toMatchObject({ read_only: true, user: 'node', tmpfs: ['/tmp'] })
			expect(dockerfiles).toContain(service.build.dockerfile)
			expect(unknownIn(Object.keys(service.environment)), name).toEqual([])
		}
		for (const secret of service.secrets ?? []) expect(compose.secrets).toHaveProperty(secret)
		for (const volume of service.volumes ?? []) {
			const [source = ''] = volume.split(':')
			if (source.startsWith('.')) expect(existsSync(join(root, 'deploy', source)), source).toBe(true)
			else expect(compose.volumes).toHaveProperty(source)
		}
		for (const needed of service.depends_on ?? []) expect(compose.services).toHaveProperty(needed)
	}
})

test('Compose gives the Worker every variable and secret, and the transcoder the fleet token alone', () => {
	const { edge, daemon, ...others } = compose.services
	expect(edge.env_file).toBe('.env')
	const { HOST, PORT, DATA_DIR } = edge.environment
	expect(argumentsOf('deploy/Dockerfile', 'ENV').join()).toContain(
		`HOST=${HOST} PORT=${PORT} DATA_DIR=${DATA_DIR} `,
	)
	expect(edge.volumes).toContain('./secrets:/run/secrets:ro')
	// A variable here would hide the one in .env.
	expect(Object.keys(edge.environment).toSorted()).toEqual([
		'AUTH_SECRET_FILE',
		'DATA_DIR',
		'FLEET_TOKEN_FILE',
		'HOST',
		'PORT',
		'PUBLIC_URL',
		'TRUST_PROXY',
	])
	expect(daemon.environment.PLAYHOUSE_FLEET_TOKEN_FILE).toBe('/run/secrets/fleet_token')
	expect(daemon.secrets).toEqual(['fleet_token'])
	for (const service of [daemon, ...Object.values<Parsed>(others)]) {
		expect(service).not.toHaveProperty('env_file')
		expect(JSON.stringify(service.volumes)).not.toContain('secrets')
	}
	expect(others.libsql.profiles).toEqual(['libsql'])
})

test('a Worker that migrates for an hour counts as healthy, and the transcoder does not wait for it', () => {
	const [healthCheck = ''] = argumentsOf('deploy/Dockerfile', 'HEALTHCHECK')
	expect(healthCheck).toContain('--start-period=1h ')
	const edge = pods.find(({ metadata }) => metadata.name === 'playhouse')
	const { periodSeconds, failureThreshold } = edge.spec.template.spec.containers[0].startupProbe
	expect(periodSeconds * failureThreshold).toBe(3_600)
	// The short form waits for the start alone.
	expect(compose.services.daemon.depends_on).toEqual(['edge', 'caddy'])
})

/** Settings of a unit, in order. */
const settingsOf = (path: string) =>
	read(path)
		.split('\n')
		.filter((line) => /^\w+=/.test(line))
		.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)
const valuesIn = (path: string, name: string) =>
	settingsOf(path).flatMap(([each, value]) => (each === name ? [value] : []))

test.each(units)('%s starts an existing program as its own user, with known variables', (path) => {
	const valuesOf = (name: string) => valuesIn(path, name)
	const [script = ''] = valuesOf('ExecStart').flatMap(
		(line) => line.match(/\/opt\/playhouse\/(\S+)/)?.[1] ?? [],
	)
	expect(existsSync(join(root, script)), script).toBe(true)
	const variables = valuesOf('Environment').flatMap((line) => line.split(' '))
	expect(unknownIn(variables.map((each) => each.split('=')[0] ?? ''))).toEqual([])
	const credentials = valuesOf('LoadCredential').map((each) => each.split(':')[0])
	const used = variables.flatMap((each) => each.match(/=%d\/(.+)$/)?.[1] ?? [])
	expect(used.toSorted()).toEqual(credentials.toSorted())
	for (const [name, value] of Object.entries({
		DynamicUser: 'yes',
		NoNewPrivileges: 'yes',
		ProtectSystem: 'strict',
		KillMode: 'mixed',
		Restart: 'on-failure',
	}))
		expect(valuesOf(name), name).toEqual([value])
})

test.each(units)('%s allows the system calls of V8, and lets others fail instead of killing', (path) => {
	const [filter = ''] = valuesIn(path, 'SystemCallFilter')
	expect(filter.split(' ')).toEqual(expect.arrayContaining(['@system-service', '@pkey']))
	expect(valuesIn(path, 'SystemCallErrorNumber')).toEqual(['EPERM'])
})

test('the unit of the daemon mounts nothing over a path in /proc, so that bubblewrap can mount a new one', () => {
	const path = 'transcoder-daemon/playhouse-daemon.service'
	for (const [name, harmless] of Object.entries({
		// systemd reads these without a value in the unit as `no` and `default`; DynamicUser implies none of them.
		ProtectHostname: ['no'],
		ProtectKernelLogs: ['no'],
		ProtectKernelTunables: ['no'],
		ProtectProc: ['default'],
		ProcSubset: ['all'],
	}))
		expect(harmless, name).toEqual(expect.arrayContaining(valuesIn(path, name)))
	const mounting =
		/^(InaccessiblePaths|ReadOnlyPaths|ReadWritePaths|TemporaryFileSystem|Bind\w*Paths|\w*ExecPaths)$/
	const overProc = settingsOf(path).filter(
		([name, value]) => mounting.test(name) && /(^|[\s:+-])\/proc(\/|[\s:]|$)/.test(value),
	)
	expect(overProc).toEqual([])
})

test('restrictions that would stop bubblewrap are lifted for the daemon in containers, and for nothing else', () => {
	const options = ['seccomp=unconfined', 'systempaths=unconfined', 'apparmor=unconfined']
	expect(compose.services.daemon.security_opt).toEqual(options)
	for (const option of options)
		expect(read('transcoder-daemon/Dockerfile')).toContain(`--security-opt ${option} `)
	expect(daemonPod).toMatchObject({
		hostUsers: false,
		securityContext: { seccompProfile: { type: 'Unconfined' }, appArmorProfile: { type: 'Unconfined' } },
		containers: [{ securityContext: { procMount: 'Unmasked' } }],
	})
	const [edge] = pods.filter(({ metadata }) => metadata.name === 'playhouse')
	expect(JSON.stringify([compose.services.edge, edge])).not.toMatch(/unconfined|unmasked/i)
})

test('pods of Kubernetes have no privileges, a read-only root, and only volumes that exist', () => {
	expect(pods.map(({ metadata }) => metadata.name).toSorted()).toEqual(['playhouse', 'playhouse-daemon'])
	for (const { spec, metadata } of pods) {
		const pod = spec.template.spec
		expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
		expect(pod.automountServiceAccountToken).toBe(false)
		expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels)
		const volumes = [
			...pod.volumes,
			...(spec.volumeClaimTemplates ?? []).map((claim: Parsed) => claim.metadata),
		]
		for (const container of pod.containers) {
			expect(container.securityContext).toMatchObject({
				allowPrivilegeEscalation: false,
				readOnlyRootFilesystem: true,
				capabilities: { drop: ['ALL'] },
			})
			expect(container.resources).toMatchObject({ limits: { memory: expect.anything() } })
			expect(unknownIn(container.env.map(({ name }: Parsed) => name)), metadata.name).toEqual([])
			for (const { name } of container.volumeMounts)
				expect(volumes.map((volume: Parsed) => volume.name)).toContain(name)
			expect(container.volumeMounts.map(({ mountPath }: Parsed) => mountPath)).toEqual(
				expect.arrayContaining(['/data', '/tmp', '/run/secrets/playhouse']),
			)
		}
	}
})

test('a pod of the daemon has memory for every task of a 4K source, and requests enough for 1080p', () => {
	const [container] = daemonPod.containers
	const { limits, requests } = container.resources
	const cores = Number(limits.cpu)
	const largestBytes = (lines: number, slots: number) =>
		Math.max(
			...['h264', 'hevc', 'av1', 'vp9'].flatMap((codec) => {
				const size = { displayWidth: (lines * 16) / 9, displayHeight: lines }
				const source = describeSource(60, { ...size, codec, bitDepth: 10, isHdr: true, longestGopSec: 9 })
				const encoders = { h264: 'libx264', hevc: 'libx265', av1: 'libsvtav1' }
				const { tasks } = planJob(source, describeOptions({ codecs: ['h264', 'hevc', 'av1'], encoders }))
				return tasks.map(({ spec }) => estimateMemory(spec, { threads: Math.floor(cores / slots), cores }))
			}),
		)
	for (const [lines, memory] of [
		[2_160, limits.memory],
		[1_080, requests.memory],
	] as const) {
		const memoryBytes = gibibytes(memory) * 1024 ** 3
		const slots = chooseSlots({ cores, memoryBytes }, 'cpu')
		expect(requireMemory(largestBytes(lines, slots), 0, memoryBytes), `${lines} lines in ${memory}`).toBe(
			'now',
		)
	}
})

test('a pod of the daemon accepts no connections, and reaches only DNS, the ingress and public addresses', () => {
	const { spec } = manifests.find(({ kind }) => kind === 'NetworkPolicy')
	expect(spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], ingress: [] })
	expect(daemonDeployment.spec.template.metadata.labels).toMatchObject(spec.podSelector.matchLabels)
	const [dns, controller, others] = spec.egress
	expect(dns.ports.map(({ port }: Parsed) => port)).toEqual([53, 53])
	expect(controller.ports).toEqual([{ protocol: 'TCP', port: 443 }])
	expect(spec.egress).toHaveLength(3)
	const isReached = reachedBy(others.to.map(({ ipBlock }: Parsed) => ipBlock))
	const seconds = [0, 10, 16, 18, 19, 31, 32, 51, 64, 88, 127, 128, 168, 254, 255]
	const thirds = [0, 2, 99, 100, 113]
	const addresses = [
		...Array.from({ length: 256 }, (_, first) =>
			seconds.flatMap((b) => thirds.map((c) => `${first}.${b}.${c}.1`)),
		),
		[
			'::1',
			'fe80::1',
			'fd00::1',
			'64:ff9b::a00:1',
			'2001::1',
			'2001:1ff::1',
			'2001:200::1',
			'2001:db8::1',
			'2002:a00:1::',
		],
		['2606:4700::1', '3fff::1', '3fff:1000::1', '4000::1', 'ff02::1'],
	].flat()
	expect(addresses.filter((address) => isReached(address) !== isPublicAddress(address))).toEqual([])
})

test('Kubernetes scales two machines or more by the age of the queue, which the API reports', () => {
	const scaled = manifests.find(({ kind }) => kind === 'ScaledObject').spec
	expect(scaled).toMatchObject({ minReplicaCount: 2, scaleTargetRef: { name: 'playhouse-daemon' } })
	// Each apply would reset the number that KEDA has set.
	expect(daemonDeployment.spec).not.toHaveProperty('replicas')
	const [{ metadata, authenticationRef }] = scaled.triggers
	// KEDA asks from another namespace than that of the Service.
	expect(metadata.url).toBe(`http://playhouse.default.svc${getMetrics.path}`)
	expect(scaled.fallback.behavior).toBe('currentReplicasIfHigher')
	expect(transcodingMetrics.map(({ name }) => name)).toContain(metadata.valueLocation)
	expect(manifests.map((each) => `${each.kind} ${each.metadata.name}`)).toEqual(
		expect.arrayContaining([`TriggerAuthentication ${authenticationRef.name}`, 'Service playhouse']),
	)
})

test('containers and units give the daemon longer to stop than it takes to return its tasks', () => {
	const seconds = (text: string) => Number.parseInt(text, 10)
	const drainSeconds = 25
	expect(seconds(compose.services.daemon.stop_grace_period)).toBeGreaterThan(drainSeconds)
	expect(
		seconds(/^TimeoutStopSec=(\d+)/m.exec(read('transcoder-daemon/playhouse-daemon.service'))?.[1] ?? ''),
	).toBeGreaterThan(drainSeconds)
	const { containers, terminationGracePeriodSeconds } = daemonPod
	const drain = containers[0].env.find(({ name }: Parsed) => name === 'PLAYHOUSE_DRAIN_SECONDS')
	expect(terminationGracePeriodSeconds).toBeGreaterThan(Number(drain.value))
})
