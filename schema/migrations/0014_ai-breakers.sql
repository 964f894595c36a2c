CREATE TABLE `ai_breakers` (
	`org_id` text NOT NULL,
	`provider` text NOT NULL,
	`failures` integer NOT NULL,
	`open_until` integer NOT NULL,
	`open_ms` integer NOT NULL,
	`code` text,
	`reason` text,
	PRIMARY KEY(`org_id`, `provider`)
);
--> statement-breakpoint
DROP TABLE `ai_circuits`;--> statement-breakpoint
ALTER TABLE `ai_deliveries` ADD `trust` text DEFAULT 'hint' NOT NULL;