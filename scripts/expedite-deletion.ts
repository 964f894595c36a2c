import { parseArgs } from 'node:util'
import { expediteDeletion } from '#schema/contract/account-deletion.ts'
import { attempt, findInstallation, installationHelp } from './operator/installation.ts'

const help = `Deletes an account now, without the grace period: for a formal request for erasure, which may not wait.

  node scripts/expedite-deletion.ts --email ada@example.org
  node scripts/expedite-deletion.ts --user 42

  --email ADDRESS  the person, by the address of the account
  --user ID        the person, by id
  --help           this text

${installationHelp}

Takes the open request of the person, or makes one. The account goes within seconds, and cannot be brought back.
The last superadmin is refused.
`

const { values } = parseArgs({
	options: { email: { type: 'string' }, user: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
})
const { email, user } = values
if (values.help) {
	console.log(help)
} else if ((email === undefined) === (user === undefined) || !/^[1-9]\d*$/.test(user ?? '1')) {
	console.error('Say who: --email ADDRESS or --user ID; --help says more.')
	process.exitCode = 2
} else {
	const installation = findInstallation(process.env)
	if (installation)
		await attempt(async () => {
			const body = email === undefined ? { userId: Number(user) } : { email }
			const { data } = await installation.call(expediteDeletion, { body })
			const how = data.created ? 'a request that was made for it' : 'the request that was open'
			console.log(`User ${data.userId} is being deleted now, by ${how} (${data.requestId}).`)
		})
}
