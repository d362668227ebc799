# Verifies webhooks. Copy verify; the rest runs it against the golden vectors: ruby verify.rb webhooks.json
require "base64"
require "json"
require "openssl"

# Returns nil for a genuine webhook, else the reason. Headers have lower-case names; the body is the raw text.
def verify(headers, body, secrets, scheme: "v1", tolerance: 300, now: Time.now.to_f)
  secrets = secrets.reject(&:empty?)
  return "secret_missing" if secrets.empty?
  signed = body
  if scheme == "v1"
    timestamp = headers["x-service-timestamp"]
    return "timestamp_missing" if timestamp.nil?
    return "timestamp_malformed" unless timestamp.match?(/\A[0-9]{1,12}\z/)
    age = now - timestamp.to_i
    return "timestamp_too_old" if age > tolerance
    return "timestamp_too_new" if age < -tolerance
    signed = "#{timestamp}.".b + body
  end
  given = headers.values_at("x-service-signature", "x-service-signature-next").compact
  return "signature_missing" if given.empty?
  given = given.grep(/\A#{scheme}=[0-9a-f]{64}\z/)
  return "signature_malformed" if given.empty?
  genuine = secrets.product(given).any? do |secret, text|
    expected = "#{scheme}=#{OpenSSL::HMAC.hexdigest("SHA256", secret, signed)}"
    OpenSSL.secure_compare(expected, text)
  end
  return "signature_mismatch" unless genuine
  JSON.parse(body)
  nil
rescue JSON::ParserError
  "body_not_json"
end

if ARGV[0]
  vectors = JSON.parse(File.read(ARGV[0], encoding: "UTF-8"))["vectors"]
  puts JSON.generate(vectors.map { |vector|
    verify(vector["headers"], Base64.decode64(vector["bodyBase64"]), vector["secrets"],
      scheme: vector["scheme"], tolerance: vector["toleranceSeconds"], now: vector["now"])
  })
end
