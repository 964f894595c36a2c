import { expect, test } from 'vitest'
import { isForDevelopment, isHosted } from '../../../scripts/lib/installation/settings.ts'
import { buildDaemonEnv } from '../../../scripts/start/daemon-env.ts'

const programs = { ffmpeg: '/usr/bin/ffmpeg', ffprobe: '/usr/bin/ffprobe' }
const settings = { dataDir: '/data', host: '127.0.0.1', trustsProxy: false, variables: {} }

test('npm start gives the daemon no secret of the Worker', () => {
	const secrets = {
		...{
			AUTH_SECRET: 'a',
			AUTH_SECRET_PREVIOUS: 'b',
			SMTP_URL: 'c',
			S3_SECRET_ACCESS_KEY: 'd',
			LIBSQL_AUTH_TOKEN: 'e',
		},
		...{ MAIL_API_KEY: 'f', FLEET_TOKEN: 'g' },
	}
	const env = { PATH: '/usr/bin', PLAYHOUSE_SLOTS: '2', NODE_EXTRA_CA_CERTS: '/ca.pem', ...secrets }
	const result = buildDaemonEnv({ ...settings, env }, programs, 'http://127.0.0.1:1', 'token')
	expect(Object.keys(result).filter((name) => name in secrets)).toEqual([])
	expect(result).toMatchObject({ PATH: '/usr/bin', PLAYHOUSE_SLOTS: '2', NODE_EXTRA_CA_CERTS: '/ca.pem' })
	expect(result.PLAYHOUSE_FLEET_TOKEN).toBe('token')
})

test('treats an installation that other machines can reach as production', () => {
	expect(isHosted(settings)).toBe(false)
	expect(isHosted({ ...settings, variables: { PUBLIC_URL: 'http://127.0.0.1:9' } })).toBe(false)
	expect(isHosted({ ...settings, variables: { PUBLIC_URL: 'https://video.example.com' } })).toBe(true)
	expect(isHosted({ ...settings, trustsProxy: true })).toBe(true)
})

test('refuses npm run dev in production', () => {
	expect(isForDevelopment(settings)).toBe(true)
	expect(isForDevelopment({ ...settings, trustsProxy: true })).toBe(false)
	expect(isForDevelopment({ ...settings, variables: { ENVIRONMENT: 'production' } })).toBe(false)
	expect(isForDevelopment({ ...settings, variables: { PUBLIC_URL: 'https://video.example.com' } })).toBe(
		false,
	)
})
