import type { Choice } from './refusals.ts'

/**
 * Lays out the unsubscribe page. It needs no script and no session, and shows no user input. The form posts to the
 * page's own URL, which carries the token.
 */
const layOut = (title: string, lead: string, buttons: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – Playhouse</title>
<link rel="icon" href="/landing/playhouse.svg" type="image/svg+xml">
<link rel="stylesheet" href="/shared/base.css">
<link rel="stylesheet" href="/shared/card.css">
</head>
<body>
<main>
<a class="home" href="/"><img src="/landing/playhouse.svg" alt="" width="32" height="32">Playhouse</a>
<div class="card">
<h1>${title}</h1>
<p class="lead">${lead}</p>
<form method="post" class="step stack">
${buttons}
</form>
</div>
</main>
</body>
</html>
`

const button = (choice: Choice, label: string) =>
	`<button type="submit" name="choice" value="${choice}">${label}</button>`

const refuse = button('refuse', 'No more invitations')
const report = button('report', 'Report this invitation')

export const choicePage = (isReport: boolean): string =>
	isReport
		? layOut(
				'Report this invitation?',
				'Reporting cancels the invitation, stops all further invitations to your address, and limits how many the sender can send. Nothing has changed yet.',
				report,
			)
		: layOut(
				'No more invitations?',
				'Nobody will be able to send invitations to your address through Playhouse. You still get codes and notices about your own account. Nothing has changed yet.',
				`${refuse}\n${report}`,
			)

const undo = button('allow', 'Allow invitations again')

export function donePage(choice: Choice): string {
	if (choice === 'allow')
		return layOut('You will get invitations again', 'You can change your mind here at any time.', refuse)
	if (choice === 'report')
		return layOut(
			'Thank you',
			'The invitation is cancelled, and your address gets no more invitations.',
			undo,
		)
	return layOut('Done', 'Your address gets no more invitations.', undo)
}
