// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Run by eth_call and never deployed: whether a contract wallet accepts a signature, also a wallet that its factory has
/// not created yet (EIP-6492). Creating it here changes nothing on the chain. Answers one word, 1 or 0.
contract SignatureCheck {
    bytes4 private constant ACCEPTED = 0x1626ba7e;

    constructor(address account, bytes32 hash, bytes memory signature, address factory, bytes memory creation) {
        bool isThere = account.code.length > 0;
        if (!isThere) (isThere, ) = factory.call(creation);
        bytes memory question = abi.encodeWithSelector(ACCEPTED, hash, signature);
        (bool hasAnswered, bytes memory answer) = account.staticcall(question);
        bool isValid = isThere && hasAnswered && answer.length == 32 && bytes32(answer) == bytes32(ACCEPTED);
        assembly {
            mstore(0, isValid)
            return(0, 32)
        }
    }
}
