import { expediteDeletion } from '#schema/contract/operations/account-deletion.ts'
import { parseOptions } from '../lib/command-options.ts'
import { exitOnError, findInstallation, installationHelp } from './lib/installation.ts'

const help = `Deletes an account now, without the grace period, for a formal erasure request that may not wait.

  npm run operate -- expedite-deletion --email ada@example.org
  npm run operate -- expedite-deletion --user 42

  --email ADDRESS  email address of the account
  --user ID        id of the user
  --help           show this help

${installationHelp}

The session must be from a sign-in of the last 10 minutes, or proved again since then with POST /v1/auth/reauthenticate.
Uses the open deletion request of the user, or creates one. The account is deleted within seconds and cannot be
restored. The last superadmin cannot be deleted.
`

const { values } = parseOptions({
	options: { email: { type: 'string' }, user: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
})
const { email, user } = values
if (values.help) {
	console.log(help)
} else if ((email === undefined) === (user === undefined) || !/^[1-9]\d*$/.test(user ?? '1')) {
	console.error('No user given; pass --email ADDRESS or --user ID, or see --help.')
	process.exitCode = 2
} else {
	const installation = findInstallation(process.env)
	if (installation)
		await exitOnError(async () => {
			const body = email === undefined ? { userId: Number(user) } : { email }
			const { data } = await installation.call(expediteDeletion, { body })
			const request = data.created ? 'a new request' : 'the open request'
			console.log(`Deleting user ${data.userId} with ${request} (${data.requestId}).`)
		})
}
