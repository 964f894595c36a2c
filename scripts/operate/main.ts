import { listCommands } from '../lib/command-list.ts'

listCommands('operate', {
	'audit-verify': 'Verifies that no row of the audit log was changed, inserted or deleted.',
	'expedite-deletion': 'Deletes an account now, without the grace period.',
	'hls-validator': 'Checks an HLS presentation against the rules of Apple and RFC 8216.',
	'replay-erasures': 'Deletes users again whom a restored backup has brought back.',
	reseal: 'Encrypts stored secrets again under the current AUTH_SECRET.',
	restore: 'Restores a downloaded backup into a new database.',
	'verify-media': 'Checks that every file that a database expects is in the buckets.',
})
