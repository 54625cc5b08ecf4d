CREATE TABLE `key_origins` (
	`origin` text NOT NULL,
	`key_id` text NOT NULL,
	PRIMARY KEY(`origin`, `key_id`),
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `key_origins_key` ON `key_origins` (`key_id`);--> statement-breakpoint
ALTER TABLE `api_keys` ADD `allowed_origins` text DEFAULT '[]' NOT NULL;