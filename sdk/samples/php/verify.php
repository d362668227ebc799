<?php
// Verifies webhooks. Copy verify(); the rest runs it against the golden vectors: php verify.php webhooks.json

/**
 * Returns null for a genuine webhook, else the reason. $headers have lower-case names; $body is the raw text of the
 * request: file_get_contents('php://input').
 */
function verify(array $headers, string $body, array $secrets, string $scheme = 'v1', int $tolerance = 300, ?int $now = null): ?string
{
    $secrets = array_filter($secrets, fn (string $secret) => $secret !== '');
    if ($secrets === []) {
        return 'secret_missing';
    }
    $signed = $body;
    if ($scheme === 'v1') {
        $timestamp = $headers['x-service-timestamp'] ?? null;
        if ($timestamp === null) {
            return 'timestamp_missing';
        }
        if (preg_match('/^[0-9]{1,12}$/D', $timestamp) !== 1) {
            return 'timestamp_malformed';
        }
        $age = ($now ?? time()) - (int) $timestamp;
        if ($age > $tolerance) {
            return 'timestamp_too_old';
        }
        if ($age < -$tolerance) {
            return 'timestamp_too_new';
        }
        $signed = $timestamp . '.' . $body;
    }
    $given = [];
    foreach (['x-service-signature', 'x-service-signature-next'] as $name) {
        if (isset($headers[$name])) {
            $given[] = $headers[$name];
        }
    }
    if ($given === []) {
        return 'signature_missing';
    }
    $given = preg_grep('/^' . $scheme . '=[0-9a-f]{64}$/D', $given);
    if ($given === []) {
        return 'signature_malformed';
    }
    foreach ($secrets as $secret) {
        $expected = $scheme . '=' . hash_hmac('sha256', $signed, $secret);
        foreach ($given as $text) {
            if (hash_equals($expected, $text)) {
                json_decode($body);
                return json_last_error() === JSON_ERROR_NONE ? null : 'body_not_json';
            }
        }
    }
    return 'signature_mismatch';
}

if (isset($argv[1])) {
    $reasons = [];
    foreach (json_decode(file_get_contents($argv[1]), true)['vectors'] as $vector) {
        $body = base64_decode($vector['bodyBase64']);
        $reasons[] = verify($vector['headers'], $body, $vector['secrets'], $vector['scheme'], $vector['toleranceSeconds'], $vector['now']);
    }
    echo json_encode($reasons), "\n";
}
